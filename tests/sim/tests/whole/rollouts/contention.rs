//! Two sets that update on a full cluster: each holds half of the places that the other needs. And a
//! clique that the update does not change, and that does not run, beside one that it changes.

use serde_json::{Value, json};
use sim::{Call, Id, Resource, Store, view};
use testkit::builders::set;

use super::course::{Course, SETTLED, has_warned, play, uids};
use super::nodes::Program;
use super::shape::{self, write_version};
use super::{STANDSTILL, set_id};
use crate::scenarios::{create, manifest};

const SETS: [&str; 2] = ["one", "two"];
/// Both pods of each set are required.
const PODS: usize = 4;

/// Changes a template.
type Adapt = fn(&mut Value);

/// Both sets have begun their updates, and two places are lost.
async fn begin(course: &mut Course, adapt: Adapt) -> Result<(), String> {
    course.store(|store| SETS.map(|name| create(store, &workload(name, adapt))));
    let run = |store: &Store| shape::runs(store, "1", PODS);
    course.until("both run", run).await?;
    course.pass(SETTLED).await?;
    course.offer(|world| world.places -= SETS.len());
    course.store(|store| SETS.map(|name| edit(store, name)));
    let hold_one_each = |store: &Store| {
        let up = SETS.map(|name| up(store, name));
        (up == [1, 1])
            .then_some(())
            .ok_or_else(|| format!("they hold {up:?}"))
    };
    course.until("each holds one place", hold_one_each).await?;
    Ok(())
}

/// With places for all both updates end.
async fn end(course: &mut Course) -> Result<(), String> {
    course.offer(|world| world.places = PODS);
    let both = |store: &Store| {
        SETS.iter().try_for_each(|name| has_ended(store, name))?;
        shape::runs(store, "2", PODS)
    };
    course.until("both updates end", both).await?;
    Ok(())
}

fn workload(name: &str, adapt: Adapt) -> Value {
    let mut manifest = manifest(set(name).clique("a", |clique| clique.replicas(2)));
    manifest["metadata"]["name"] = json!(name);
    write_version(&mut manifest, "1");
    adapt(&mut manifest["spec"]["template"]);
    manifest
}

fn edit(store: &mut Store, name: &str) {
    let found = look(store, name);
    let mut next = json!({"spec": {"template": {"cliques": found["spec"]["template"]["cliques"]}}});
    write_version(&mut next, "2");
    let path = format!("{}/{name}", Resource::PodCliqueSet.path("default"));
    let answer = store.handle("user", &Call::merge(&path, next));
    assert_eq!(answer.code, 200, "{:?}", answer.body);
}

fn look<'a>(store: &'a Store, name: &str) -> &'a Value {
    store
        .get(&Id::new(Resource::PodCliqueSet, name))
        .expect("nobody deletes it")
}

fn has_ended(store: &Store, name: &str) -> Result<(), String> {
    let progress = &look(store, name)["status"]["updateProgress"];
    let has_ended = progress["updateEndedAt"].is_string();
    has_ended
        .then_some(())
        .ok_or_else(|| format!("{name}: {progress}"))
}

/// Ready pods of the set.
fn up(store: &Store, name: &str) -> usize {
    let is_up = |pod: &Value| view::label(pod, api::labels::PART_OF) == name && view::is_ready(pod);
    let pods = store.all(Resource::Pod);
    pods.filter(|(_, pod)| is_up(pod)).count()
}

fn condition<'a>(store: &'a Store, name: &str, type_: &str) -> Option<&'a Value> {
    let mut conditions = view::list(look(store, name), "/status/conditions");
    conditions.find(|condition| view::text(condition, "/type") == type_)
}

/// The set says in its condition, its state and a warning that its update stands still without room.
/// Its state is the reason for which it is not Ready, as too few of its pods run.
fn stands_still(store: &Store, name: &str, reason: &str) -> Result<(), String> {
    let update = condition(store, name, "UpdateInProgress").ok_or("no condition")?;
    let text = |field: &str| view::text(update, field);
    let is_right = text("/status") == "Unknown"
        && text("/reason") == reason
        && text("/message").contains("has had no room");
    if !is_right {
        return Err(format!("{name}: {update}"));
    }
    let ready = condition(store, name, "Ready").ok_or("no condition")?;
    if view::text(ready, "/reason") != "InsufficientResources" {
        return Err(format!("{name}: {ready}"));
    }
    has_warned(store, name, "UpdateStalled")
}

/// One of them gives its places to the other.
async fn ends_with_a_delay(course: &mut Course) -> Result<(), String> {
    let adapt: Adapt = |template| template["terminationDelay"] = json!("5s");
    begin(course, adapt).await?;
    let one = |store: &Store| {
        let [first, second] = SETS.map(|name| has_ended(store, name));
        first.or(second)
    };
    course.until("one update ends", one).await?;
    end(course).await
}

async fn says_so(course: &mut Course, adapt: Adapt, reason: &str) -> Result<(), String> {
    begin(course, adapt).await?;
    course.pass(STANDSTILL).await?;
    course.store(|store| {
        let mut sets = SETS.iter();
        sets.try_for_each(|name| stands_still(store, name, reason))
    })?;
    end(course).await
}

/// In both replicas a frontend crashes again and again since before the update, which does not change it.
async fn passes_by_a_frontend(course: &mut Course) -> Result<(), String> {
    let set = set("svc")
        .replicas(2)
        .clique("front", |clique| clique)
        .clique("decode", |clique| clique.replicas(2).min(1));
    let mut manifest = manifest(set);
    write_version(&mut manifest, "1");
    let front = &mut manifest["spec"]["template"]["cliques"][0];
    // The program of this version crashes.
    front["annotations"]["example.com/version"] = json!("2");
    course.offer(|world| world.program = Program::Crashes(3));
    course.store(|store| create(store, &manifest));
    let decodes = |version: &'static str| {
        move |store: &Store| {
            let up = uids(store, version).len();
            (up == PODS)
                .then_some(())
                .ok_or_else(|| format!("{up} pods of version {version}"))
        }
    };
    course.until("decode runs", decodes("1")).await?;
    course.pass(SETTLED).await?;
    let fronts = course.store(|store| fronts(store));
    course.store(|store| {
        store.edit("user", &set_id(), |set| {
            let decode = &mut set["spec"]["template"]["cliques"][1];
            decode["annotations"]["example.com/version"] = json!("3");
        });
    });
    course.until("the update ends", shape::has_ended).await?;
    course.store(|store| {
        decodes("3")(store)?;
        let now = self::fronts(store);
        (now == fronts)
            .then_some(())
            .ok_or_else(|| format!("the frontends were {fronts:?} and are {now:?}"))
    })
}

/// The uids of the frontends.
fn fronts(store: &Store) -> Vec<String> {
    let is_front = |pod: &Value| view::name(pod).contains("-front-");
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_front(pod));
    pods.map(|(_, pod)| view::uid(pod).to_owned()).collect()
}

#[test]
fn two_sets_that_hold_half_of_what_they_need_both_end_with_a_delay() {
    play(PODS, ends_with_a_delay).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn without_a_delay_both_say_that_they_stand_still_for_lack_of_room() {
    let says = async |course: &mut Course| says_so(course, |_| {}, "NoRoom").await;
    play(PODS, says).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn with_a_deadline_both_say_that_they_have_made_no_progress() {
    let says = async |course: &mut Course| {
        let adapt: Adapt =
            |template| template["cliques"][0]["rollingUpdate"] = json!({"progressDeadline": "5m"});
        says_so(course, adapt, "ProgressDeadlineExceeded").await
    };
    play(PODS, says).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn a_frontend_that_crashed_before_the_update_keeps_no_turn() {
    play(2 + PODS, passes_by_a_frontend).unwrap_or_else(|wrong| panic!("{wrong}"));
}
