//! Two sets in a queue with quota for one.

use std::collections::BTreeSet;

use api::labels::PART_OF;
use serde_json::{Value, json};
use sim::{Id, Resource, Store, queue, view};

use super::{Course, PODS, expect_course, gang, queued};
use crate::scenarios::create;

/// The name of the other set.
const OTHER: &str = "web";

/// The set of another team, whose pods have this priority.
fn other(priority: i64) -> Value {
    let mut set = queued();
    set["metadata"]["name"] = json!(OTHER);
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["priority"] = json!(priority);
    }
    set
}

/// Pods of the set that are Ready, and pods of it that may run.
fn pods(store: &Store, set: &str) -> (usize, usize) {
    let pods = store.all(Resource::Pod).map(|(_, pod)| &**pod);
    let own: Vec<&Value> = pods
        .filter(|pod| view::label(pod, PART_OF) == set)
        .collect();
    let ready = own.iter().filter(|pod| view::is_ready(pod)).count();
    let running = own.iter().filter(|pod| queue::may_run(pod)).count();
    (ready, running)
}

/// One set runs, and the other waits for quota of its base gang, with Kueue's words.
fn expect_turn(cluster: &Course, first: &str, second: &str) -> Result<(), String> {
    let found = cluster.store(|store| (pods(store, first), pods(store, second)));
    if found != ((6, 6), (0, 0)) {
        return Err(format!(
            "Ready pods, and pods that may run, are {found:?} of {first} and {second}"
        ));
    }
    let said = cluster.store(|store| describe_readiness(store, second));
    let words = format!(
        "gang {second}-0 waits in queue team-a: Pending: couldn't assign flavors to pod set a: \
         insufficient unused quota for pods in flavor default, 4 more needed"
    );
    let is_right = said.starts_with("False/WaitingForQuota: ") && said.contains(&words);
    cluster.expect(&format!("{said:?} says {words:?}"), |_| is_right)
}

/// Condition `Ready` of the set, with its message.
fn describe_readiness(store: &Store, set: &str) -> String {
    let set = store.get(&Id::new(Resource::PodCliqueSet, set)).unwrap();
    let mut conditions = view::list(set, "/status/conditions");
    let ready = conditions.find(|c| view::text(c, "/type") == "Ready");
    let told = |c: &Value| {
        let [status, reason, message] =
            ["/status", "/reason", "/message"].map(|field| view::text(c, field));
        format!("{status}/{reason}: {message}")
    };
    ready.map_or_else(String::new, told)
}

/// When the other set got quota, all pods of the first had ended.
fn check_order(store: &Store) -> Result<(), String> {
    let mut left: BTreeSet<&Id> = BTreeSet::new();
    for record in &store.log {
        let after = record.after.as_deref();
        match record.id.resource {
            Resource::Pod if view::label(&record.last, PART_OF) == "svc" => {
                left.remove(&record.id);
                let runs = |pod: &Value| queue::may_run(pod) && !view::is_finished(pod);
                left.extend(after.filter(|pod| runs(pod)).map(|_| &record.id));
            }
            Resource::KueueWorkload
                if view::name(&record.last).starts_with(OTHER)
                    && after.is_some_and(queue::holds_quota) =>
            {
                let is_free = left.is_empty();
                let wrong = || format!("{} has quota while {left:?} run", record.id);
                return is_free.then_some(()).ok_or_else(wrong);
            }
            _ => {}
        }
    }
    Err(format!("{OTHER} never had quota"))
}

fn remove(store: &mut Store, set: &str) {
    store.remove("user", &Id::new(Resource::PodCliqueSet, set));
}

/// Fails if a set says nothing about its queue, if one that is deleted gives its quota back with its
/// PodGangs while pods of it run, or if it never does.
#[test]
fn a_set_without_room_waits_until_the_pods_of_the_first_have_ended() {
    expect_course(PODS, &async |cluster| {
        cluster.store(|store| create(store, &other(0)));
        cluster.rest().await?;
        expect_turn(cluster, "svc", OTHER)?;
        cluster.store(|store| remove(store, "svc"));
        cluster.rest().await?;
        cluster.expect("the other one runs", |store| pods(store, OTHER) == (6, 6))?;
        cluster.store(|store| check_order(store))
    });
}

/// Kueue takes the quota of the base gang. Fails if requests do not bear the priority of the pods, if
/// the scaled gang keeps its pods or its quota, or if the loss counts as a failure.
#[test]
fn a_set_of_a_higher_priority_takes_the_quota_until_it_is_deleted() {
    expect_course(PODS, &async |cluster| {
        cluster.store(|store| create(store, &other(10)));
        cluster.rest().await?;
        expect_turn(cluster, OTHER, "svc")?;
        cluster.store(|store| check_victims(store))?;
        cluster.store(|store| remove(store, OTHER));
        cluster.rest().await?;
        cluster.expect("the first one is back", |store| {
            pods(store, "svc") == (6, 6)
        })?;
        cluster.expect(
            "it lost its quota once, and nothing was restarted",
            |store| {
                let set = store.get(&Id::new(Resource::PodCliqueSet, "svc")).unwrap();
                queue::round_of(gang(store, "svc-0")) == 1 && view::attempt(set, 0) == 0
            },
        )
    });
}

/// Kueue evicted the base gang first.
fn check_victims(store: &Store) -> Result<(), String> {
    let mut workloads = store
        .log
        .iter()
        .filter(|record| record.id.resource == Resource::KueueWorkload);
    let evicted = workloads.find(|record| view::has_condition(&record.last, "Evicted"));
    let name = evicted.map_or("none", |record| record.id.name.as_str());
    (name == "svc-0")
        .then_some(())
        .ok_or_else(|| format!("the first one that Kueue evicted is {name}"))
}
