//! Pauses in mid-update (docs/semantics.md §14.2): nothing is deleted for a template, what is under way
//! is finished, gang termination works again, and the same replica goes on afterwards.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use sim::{Id, Resource, Store, actors, view};
use testkit::builders::{SetBuilder, set};

use super::course::{Course, expect_no_deletion, play, uids, unit_of};
use super::nodes::Program;
use super::shape::{self, write_version};
use super::{has_version, set_id};
use crate::scenarios::manifest;

/// An operator may have sent deletions when the user pauses the update.
const SENT: Duration = Duration::from_secs(1);
/// Longer than a turn outlasts a pause.
const LONG: Duration = Duration::from_mins(20);
/// How long a turn that cannot be finished outlasts a pause, by stored times, which are whole seconds.
const PATIENCE: [i64; 2] = [600, 603];

fn version_1(set: SetBuilder) -> Value {
    let mut manifest = manifest(set);
    write_version(&mut manifest, "1");
    manifest
}

fn pods_of(store: &Store, podclique: &str) -> Vec<Id> {
    let is_of = |pod: &Value| view::owner(pod).is_some_and(|(_, name, _)| name == podclique);
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_of(pod));
    pods.map(|(id, _)| id.clone()).collect()
}

/// The versions of the units of a PodClique, by index.
fn versions_of(store: &Store, podclique: &str) -> Vec<String> {
    let pods = pods_of(store, podclique);
    let pods = pods.iter().filter_map(|id| store.get(id));
    let mut pods: Vec<_> = pods.filter(|pod| view::is_ready(pod)).collect();
    pods.sort_by_key(|pod| unit_of(pod));
    let version = |pod: &Value| view::annotation(pod, "example.com/version").to_owned();
    pods.into_iter().map(|pod| version(pod)).collect()
}

/// The replica of the set that has the turn.
fn turn(store: &Store) -> Option<i64> {
    let set = store.get(&set_id())?;
    let turn = "/status/updateProgress/currentlyUpdating/0/replicaIndex";
    view::at(set, turn)?.as_i64()
}

fn has_turn(store: &Store, replica: Option<i64>) -> Result<(), String> {
    let turn = turn(store);
    (turn == replica)
        .then_some(())
        .ok_or_else(|| format!("the turn is {turn:?} and not {replica:?}"))
}

/// Whether a new pod is Ready: for a while it does not count yet, so the turn has something to finish.
fn has_new_one(store: &Store) -> Result<(), String> {
    let has_one = !uids(store, "2").is_empty();
    has_one.then_some(()).ok_or_else(|| "none".to_owned())
}

/// The user pauses the update. Returns the length of the log a moment later.
async fn pause(course: &mut Course) -> Result<usize, String> {
    course.store(|store| shape::pause(store, true));
    course.pass(SENT).await?;
    Ok(course.length())
}

/// The pause ends: this replica goes on, and the update ends.
async fn resume(course: &mut Course, replica: i64, pods: usize) -> Result<(), String> {
    course.store(|store| shape::pause(store, false));
    let begins = |store: &Store| {
        let has_one = turn(store).is_some();
        has_one
            .then_some(())
            .ok_or_else(|| "no replica has it".to_owned())
    };
    course.until("a turn begins", begins).await?;
    course.store(|store| has_turn(store, Some(replica)))?;
    course.end("2", pods).await
}

/// The replica that is down gets the first turn, though two others have lower numbers. When the pause
/// ends it is not down any more, and goes on before them.
async fn goes_on(course: &mut Course) -> Result<(), String> {
    let set = set("svc").replicas(3).clique("a", |c| c.replicas(3));
    course.run(&version_1(set), 9).await?;
    course.store(|store| {
        let pods = pods_of(store, "svc-2-a");
        actors::break_pod(store, &pods[0]);
    });
    course.pass(Duration::from_secs(3)).await?;
    course.store(|store| shape::edit(store, "2"));
    course.until("a new pod runs", has_new_one).await?;
    let since = pause(course).await?;
    course.store(|store| has_turn(store, Some(2)))?;
    course.pass(LONG).await?;
    course.store(|store| {
        has_turn(store, None)?;
        shape::says(store, &["Paused"])?;
        expect_no_deletion(store, since)?;
        let versions = versions_of(store, "svc-2-a");
        let has = |version: &str| versions.iter().any(|is| is == version);
        let is_mixed = versions.len() == 3 && has("1") && has("2");
        is_mixed
            .then_some(())
            .ok_or_else(|| format!("replica 2 has {versions:?}"))
    })?;
    resume(course, 2, 9).await
}

/// Both gangs break in the pause, that of the replica that had the turn and another one.
async fn terminates(course: &mut Course) -> Result<(), String> {
    let set = set("svc").replicas(2).clique("a", |c| c.replicas(4).min(2));
    let mut manifest = version_1(set);
    manifest["spec"]["template"]["terminationDelay"] = json!("30s");
    course.run(&manifest, 8).await?;
    course.store(|store| shape::edit(store, "2"));
    course.until("a new pod runs", has_new_one).await?;
    let since = pause(course).await?;
    course
        .until("the turn ends", |store| has_turn(store, None))
        .await?;
    course.pass(Duration::from_mins(1)).await?;
    course.store(|store| {
        expect_no_deletion(store, since)?;
        are_as_paused(store)?;
        for podclique in ["svc-0-a", "svc-1-a"] {
            for pod in pods_of(store, podclique) {
                actors::break_pod(store, &pod);
            }
        }
        Ok::<_, String>(())
    })?;
    let are_back = |store: &Store| -> Result<(), String> {
        let set = store.get(&set_id()).ok_or("there is no set")?;
        let attempts = [0, 1].map(|replica| view::attempt(set, replica));
        if attempts != [1, 1] {
            return Err(format!("attempts {attempts:?}"));
        }
        are_as_paused(store)
    };
    course
        .until("both gangs are terminated and come back", are_back)
        .await?;
    resume(course, 0, 8).await
}

/// One unit of replica 0 is new, the one with the highest index.
fn are_as_paused(store: &Store) -> Result<(), String> {
    let versions = ["svc-0-a", "svc-1-a"].map(|podclique| versions_of(store, podclique));
    let wanted = [["1", "1", "1", "2"], ["1", "1", "1", "1"]];
    (versions == wanted)
        .then_some(())
        .ok_or_else(|| format!("the units have versions {versions:?}"))
}

/// A pod that crashes again and again is starting for ever.
async fn frees_the_turn(course: &mut Course) -> Result<(), String> {
    let set = set("svc").replicas(2).clique("a", |c| c.replicas(4).min(2));
    course.run(&version_1(set), 8).await?;
    course.offer(|world| world.program = Program::Crashes(3));
    course.store(|store| shape::edit(store, "2"));
    course.until("the new pod crashes", has_crashed).await?;
    let began = course.length();
    let since = pause(course).await?;
    course.store(|store| has_turn(store, Some(0)))?;
    course.pass(LONG).await?;
    course.store(|store| {
        has_turn(store, None)?;
        expect_no_deletion(store, since)?;
        let [least, most] = PATIENCE;
        let lasted = freed_after(store, began).ok_or("the turn was not freed")?;
        (least..=most)
            .contains(&lasted.as_secs())
            .then_some(())
            .ok_or_else(|| format!("the turn was freed after {lasted:#}"))
    })?;
    course.offer(|world| world.program = Program::Good);
    resume(course, 0, 8).await
}

fn has_crashed(store: &Store) -> Result<(), String> {
    let restarts = |pod: &Value| view::number(pod, "/status/containerStatuses/0/restartCount");
    let mut pods = store.all(Resource::Pod);
    let has_crashed = pods.any(|(_, pod)| has_version(pod, "2") && restarts(pod) > 0);
    has_crashed
        .then_some(())
        .ok_or_else(|| "no new pod has".to_owned())
}

/// How long after the stored beginning of the pause no replica had the turn any more.
fn freed_after(store: &Store, began: usize) -> Option<SignedDuration> {
    let log = store.log.get(began..).unwrap_or_default();
    log.iter()
        .filter(|record| record.id == set_id())
        .find_map(|record| {
            let set = record.after.as_ref()?;
            let since = view::time(set, "/status/updateProgress/pausedSince")?;
            let mut turns = view::list(set, "/status/updateProgress/currentlyUpdating");
            let lasted = record.time.duration_since(since);
            turns.next().is_none().then_some(lasted)
        })
}

#[test]
fn the_replica_that_had_the_turn_goes_on_after_a_pause() {
    play(9, goes_on).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn gangs_that_break_in_a_pause_come_back_on_their_revisions() {
    play(8, terminates).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn a_crash_loop_keeps_the_turn_for_ten_minutes_of_a_pause() {
    play(8, frees_the_turn).unwrap_or_else(|wrong| panic!("{wrong}"));
}
