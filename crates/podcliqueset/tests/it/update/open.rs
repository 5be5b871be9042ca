//! Replicas whose turn a pause took away: they get the first turn afterwards.

use std::sync::Arc;

use api::podclique::PclqUpdateProgress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::after;

use super::{change, progress, second_in_turn, step, turn};

/// Replica 0 is updated, the turn is at replica 1, and a pause empties it.
fn without_turn() -> Snapshot {
    let mut snapshot = second_in_turn();
    let stored = Arc::make_mut(&mut snapshot.stored);
    let status = stored.status.as_mut().unwrap();
    let running = status.update_progress.as_mut().unwrap();
    running.currently_updating.clear();
    snapshot
}

/// The PodClique of the replica stores the numbers of a turn.
fn open(snapshot: &mut Snapshot, replica: i32, has_ended: bool) {
    let stored = snapshot.stored.status.as_ref().unwrap();
    let generation = stored.current_generation_hash.clone().unwrap();
    let seen = snapshot.podcliques.get_mut(&format!("demo-{replica}-web"));
    let podclique = Arc::make_mut(&mut seen.unwrap().podclique);
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(2),
        surge_from: Some(2),
        update_ended_at: has_ended.then(|| Time(after(30))),
        ..PclqUpdateProgress::begin(generation, String::new(), Time(after(0)))
    });
}

#[test]
fn a_replica_that_lost_its_turn_gets_the_first_one() {
    let mut snapshot = without_turn();
    open(&mut snapshot, 2, false);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [2]);
}

#[test]
fn a_record_that_has_ended_gives_no_turn() {
    let mut snapshot = without_turn();
    open(&mut snapshot, 2, true);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
}

/// Nothing of it is outdated, and its surge is left.
#[test]
fn an_updated_replica_that_lost_its_turn_gets_one_more() {
    let mut snapshot = without_turn();
    open(&mut snapshot, 0, false);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [0]);
    step(&mut snapshot);
    assert_eq!(
        turn(&snapshot),
        [0],
        "its PodClique has yet to store the end"
    );
    open(&mut snapshot, 0, true);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
}

/// Its surge would be surplus if another one got the turn.
#[test]
fn a_replica_that_lost_its_turn_gets_it_also_while_another_one_is_down() {
    let mut snapshot = without_turn();
    open(&mut snapshot, 1, false);
    lose(&mut snapshot, 2);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
}

#[test]
fn without_such_a_replica_only_one_that_is_down_gets_the_turn() {
    let mut snapshot = without_turn();
    lose(&mut snapshot, 2);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [2]);
}

fn lose(snapshot: &mut Snapshot, replica: i32) {
    let seen = snapshot.podcliques.get_mut(&format!("demo-{replica}-web"));
    seen.unwrap().pods.clear();
}

fn pause(snapshot: &mut Snapshot, is_paused: bool) {
    change(snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = is_paused;
    });
}

/// The update would wait for a replica that nobody wants.
#[test]
fn a_set_that_is_scaled_in_during_a_pause_goes_on_afterwards() {
    let mut snapshot = second_in_turn();
    assert_eq!(progress(&snapshot).reached, Some(3));
    pause(&mut snapshot, true);
    step(&mut snapshot);
    change(&mut snapshot, |set| set.spec.replicas = 2);
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).reached, Some(2));
    pause(&mut snapshot, false);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
}
