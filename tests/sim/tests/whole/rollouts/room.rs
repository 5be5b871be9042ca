//! Updates without room for all pods (docs/semantics.md §14.4, §14.7): they end with what has room, gang
//! termination works again, and surge that finds no room is given up after a minute.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};
use testkit::builders::{SetBuilder, set};

use super::course::{Course, play, unit_of};
use super::set_id;
use super::shape::{self, write_version};
use crate::scenarios::manifest;

/// Seconds from the loss of the room to the termination of the replica, with a delay of 60 s: stored
/// times are whole seconds.
const TERMINATED: [u64; 2] = [59, 65];
/// Seconds from the creation of a surge pod to the moment in which the turn goes on without it.
const GIVEN_UP: [i64; 2] = [60, 65];

fn version_1(set: SetBuilder) -> Value {
    let mut manifest = manifest(set);
    write_version(&mut manifest, "1");
    manifest
}

/// Six of eight pods have room. Then all places but one go, and the gang cannot run any more.
async fn ends_and_is_terminated(course: &mut Course) -> Result<(), String> {
    let set = set("svc").clique("a", |c| c.replicas(8).min(2));
    let mut manifest = version_1(set);
    manifest["spec"]["template"]["terminationDelay"] = json!("60s");
    course.run(&manifest, 6).await?;
    let began = course.length();
    course.store(|store| shape::edit(store, "2"));
    course.end("2", 6).await?;
    let fewest = course.store(|store| fewest_ready(store, began));
    if fewest < 5 {
        return Err(format!("only {fewest} of 6 pods were up"));
    }
    course.offer(|world| world.places = 1);
    course.store(lose_all_but_one);
    let is_terminated = |store: &Store| {
        let set = store.get(&set_id());
        let attempt = set.map_or(0, |set| view::attempt(set, 0));
        (attempt == 1)
            .then_some(())
            .ok_or_else(|| format!("the attempt is {attempt}"))
    };
    let lasted = course.until("it is terminated", is_terminated).await?;
    let [least, most] = TERMINATED;
    (least..=most)
        .contains(&lasted.as_secs())
        .then_some(())
        .ok_or_else(|| format!("it was terminated after {lasted:?}"))
}

/// The fewest pods that were Ready at once since this place in the log.
fn fewest_ready(store: &Store, began: usize) -> usize {
    let mut ready = BTreeSet::new();
    let mut fewest = usize::MAX;
    let log = store.log.iter().enumerate();
    for (position, record) in log.filter(|(_, r)| r.id.resource == Resource::Pod) {
        let is_ready = record.after.as_ref().is_some_and(|p| view::is_ready(p));
        if is_ready {
            ready.insert(&record.id.name);
        } else {
            ready.remove(&record.id.name);
        }
        if position >= began {
            fewest = fewest.min(ready.len());
        }
    }
    fewest
}

/// The nodes of all Ready pods but one are gone.
fn lose_all_but_one(store: &mut Store) {
    let pods = store.all(Resource::Pod).filter(|(_, p)| view::is_ready(p));
    let lost: Vec<Id> = pods.skip(1).map(|(id, _)| id.clone()).collect();
    for id in lost {
        store.remove("chaos", &id);
    }
}

/// Of three replicas one has room. Those that never had room hold the update up for a minute each.
async fn ends_in_all_replicas(course: &mut Course) -> Result<(), String> {
    let set = set("svc").replicas(3).clique("a", |c| c);
    course.run(&version_1(set), 1).await?;
    course.store(|store| shape::edit(store, "2"));
    course.end("2", 1).await
}

/// A part with one surge unit, which has index 4.
struct Surging {
    part: (Resource, &'static str),
    field: &'static str,
    build: fn() -> SetBuilder,
}

const SURGING: [Surging; 2] = [
    Surging {
        part: (Resource::PodClique, "svc-0-a"),
        field: "cliques",
        build: || set("svc").clique("a", |c| c.replicas(4).min(2)),
    },
    Surging {
        part: (Resource::PodCliqueScalingGroup, "svc-0-g"),
        field: "podCliqueScalingGroups",
        build: || {
            set("svc")
                .clique("a", |c| c)
                .group("g", ["a"], |g| g.replicas(4).min(2))
        },
    },
];

impl Surging {
    async fn play(&self, course: &mut Course) -> Result<(), String> {
        let mut manifest = version_1((self.build)());
        manifest["spec"]["template"][self.field][0]["rollingUpdate"] = json!({"maxSurge": 1});
        course.run(&manifest, 4).await?;
        let began = course.length();
        course.store(|store| shape::edit(store, "2"));
        course.end("2", 4).await?;
        let lasted = course.store(|store| self.given_up_after(store, began));
        let lasted = lasted.ok_or("there was no surge pod, or it was never given up")?;
        let [least, most] = GIVEN_UP;
        (least..=most)
            .contains(&lasted)
            .then_some(())
            .ok_or_else(|| format!("surge was given up after {lasted} s"))
    }

    /// Seconds from the creation of the first surge pod, as it says, until `withoutSurge` was stored.
    fn given_up_after(&self, store: &Store, began: usize) -> Option<i64> {
        let log = || store.log.get(began..).unwrap_or_default().iter();
        let surge = log().find(|record| {
            let is_new = record.id.resource == Resource::Pod && record.before.is_none();
            is_new && unit_of(&record.last) == Some(4)
        })?;
        let created = view::time(&surge.last, "/metadata/creationTimestamp")?;
        let reason =
            |part: &Value| !view::text(part, "/status/updateProgress/withoutSurge").is_empty();
        let (resource, name) = self.part;
        let stored = log().find(|record| {
            let is_part = record.id.resource == resource && record.id.name == name;
            is_part && record.after.as_ref().is_some_and(|part| reason(part))
        })?;
        Some(stored.time.duration_since(created).as_secs())
    }
}

#[test]
fn an_update_ends_with_six_of_eight_places_and_gang_termination_works_again() {
    play(6, ends_and_is_terminated).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn an_update_of_a_set_ends_though_two_of_three_replicas_have_no_room() {
    play(1, ends_in_all_replicas).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn surge_without_room_is_given_up_after_a_minute() {
    for surging in &SURGING {
        let played = play(4, async |course: &mut Course| surging.play(course).await);
        played.unwrap_or_else(|wrong| panic!("{wrong}\n{}", surging.field));
    }
}
