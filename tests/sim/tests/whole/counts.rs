//! The number of requests to the API server without faults: counted, never timed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use sim::check::OPERATOR;
use sim::store::Record;
use sim::{Call, Resource, Store, view};
use testkit::builders::{SetBuilder, set};

use crate::cluster::PACE;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::manifest;

/// Simulated time within which a run comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// Lines of the story of a failure.
const LINES: usize = 80;

/// A user's set with that name in that namespace.
fn named(namespace: &str, name: &str, set: SetBuilder) -> Value {
    let mut manifest = manifest(set);
    manifest["metadata"] = json!({"name": name, "namespace": namespace});
    manifest
}

/// The store after these sets were created and came to rest; other actors make a move in each
/// interval of `pace`.
fn come_up(pace: Duration, sets: &[Value]) -> Store {
    in_paused_time(async {
        let begin = Begin {
            pace,
            ..Begin::empty()
        };
        let mut ring = Ring::start(begin);
        ring.start_operator();
        ring.wire.server.with_store(|store| {
            for set in sets {
                let path = Resource::PodCliqueSet.path(view::namespace(set));
                let answer = store.handle("user", &Call::new("POST", &path, set.clone()));
                assert_eq!(answer.code, 201, "{:?}", answer.body);
            }
        });
        let rest = ring.come_to_rest(LIMIT).await;
        rest.unwrap_or_else(|wrong| panic!("{}\n{wrong}", ring.story(LINES)));
        ring.present().store
    })
}

/// How many times the status of each object of a kind was written.
fn statuses(store: &Store, resource: Resource) -> BTreeMap<&str, usize> {
    let is_status = |record: &&Record| {
        let states = record.before.as_ref().zip(record.after.as_ref());
        let is_changed = states.is_some_and(|(b, a)| b["status"] != a["status"]);
        record.id.resource == resource && record.actor == OPERATOR && is_changed
    };
    let mut all = BTreeMap::new();
    for record in store.log.iter().filter(is_status) {
        *all.entry(record.id.name.as_str()).or_default() += 1;
    }
    all
}

/// A PodGang has two: when its pods exist, and when it is up. A PodClique has only the second.
#[test]
fn a_gang_that_comes_up_takes_one_status_of_its_podclique_and_two_of_its_own() {
    const GANGS: usize = 10;
    let replicas = i32::try_from(GANGS).unwrap();
    let pairs = set("svc").clique("a", |c| c.replicas(2)).replicas(replicas);
    let store = come_up(PACE, &[named("default", "svc", pairs)]);
    for (resource, expected) in [(Resource::PodClique, 1), (Resource::PodGang, 2)] {
        let written = statuses(&store, resource);
        assert_eq!(written.len(), GANGS, "{written:?}");
        let is_right = |times: &usize| *times == expected;
        assert!(written.values().all(is_right), "{written:?}");
    }
    let of_set = statuses(&store, Resource::PodCliqueSet);
    assert!((2..=3).contains(&of_set["svc"]), "{of_set:?}");
}

/// 16 s pass until all is up, with a change every 200 ms.
#[test]
fn a_slow_start_reports_its_progress_now_and_then() {
    let clique = set("svc").clique("a", |c| c.replicas(40));
    let replicas = set("svc").clique("a", |c| c).replicas(40);
    for (set, resources) in [
        (clique, &[Resource::PodClique, Resource::PodGang][..]),
        (replicas, &[Resource::PodCliqueSet]),
    ] {
        let slow = Duration::from_millis(200);
        let store = come_up(slow, &[named("default", "svc", set)]);
        for resource in resources {
            let written = statuses(&store, *resource);
            assert_eq!(written.len(), 1, "{written:?}");
            let is_right = |times: &usize| (4..=7).contains(times);
            assert!(written.values().all(is_right), "{written:?}");
        }
    }
}

/// A hundred sets of a team start, one of them is wrong, and another team has a set.
#[test]
fn a_hundred_sets_have_few_events_and_all_events_of_problems() {
    let small = || set("svc").clique("a", |c| c);
    let mut sets: Vec<Value> = (0..100)
        .map(|number| named("default", &format!("set{number}"), small()))
        .collect();
    let wrong = set("svc").clique("a", |c| c.min(2));
    sets.push(named("default", "wrong", wrong));
    sets.push(named("other", "beside", small()));
    let store = come_up(PACE, &sets);
    let of = |namespace: &str, type_: &str| {
        let events = store.all(Resource::Event);
        let events = events.filter(|(id, _)| id.namespace == namespace);
        let events = events.filter(|(_, event)| view::text(event, "/type") == type_);
        events
            .map(|(_, event)| view::text(event, "/reason").to_owned())
            .collect::<Vec<_>>()
    };
    let told = of("default", "Normal").len();
    assert!((10..=20).contains(&told), "{told}");
    assert_eq!(of("default", "Warning"), ["InvalidSpec"]);
    let beside = of("other", "Normal");
    assert!(beside.len() >= 3, "{beside:?}");
}
