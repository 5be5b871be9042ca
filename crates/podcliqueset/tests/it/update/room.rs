//! A replica in turn whose pods find no room.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podclique::{PclqUpdateProgress, WaitingPod};
use api::podcliqueset::PcsUpdateProgress;
use domain::plan::CheckAnswer;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{after, pod};

use super::{change, changed, edit, finish, progress, step};
use crate::situation::plan;

/// The new pods of the replica in turn wait for nodes since a minute; two ran before.
pub(super) fn without_room() -> Snapshot {
    let mut snapshot = changed();
    change(&mut snapshot, |set| {
        set.spec.template.termination_delay = Some("10m".into());
    });
    step(&mut snapshot);
    step(&mut snapshot);
    let stored = snapshot.stored.status.as_ref().unwrap();
    let generation = stored.current_generation_hash.clone().unwrap();
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(2),
        waiting_since: Some(WaitingPod {
            uid: "uid-of-the-waiting".into(),
            since: Time(after(0)),
        }),
        ..PclqUpdateProgress::begin(generation, String::new(), Time(after(60)))
    });
    seen.pods = (0..2)
        .map(|k| pod(&seen.podclique, k).ungated().build())
        .collect();
    snapshot
}

/// Two sets that update on a full cluster would wait for each other for ever.
#[test]
fn a_replica_in_turn_without_room_is_terminated_after_the_delay_and_has_to_return() {
    let mut snapshot = without_room();
    step(&mut snapshot);
    let since = |snapshot: &Snapshot| progress(snapshot).currently_updating[0].clone();
    assert_eq!(since(&snapshot).without_room_since, Some(Time(after(60))));
    let attempts = |at| {
        let status = decide(&snapshot, after(at)).status.unwrap();
        status.replica_attempts.len()
    };
    assert_eq!(decide(&snapshot, after(659)).wake_at, Some(after(660)));
    assert_eq!((attempts(659), attempts(660)), (0, 1));
    let fenced = decide(&snapshot, after(660)).status.unwrap();
    let attempt = &fenced.replica_attempts[0];
    assert!(
        attempt.message.contains("without room since"),
        "{}",
        attempt.message
    );
    let turn = &fenced.update_progress.unwrap().currently_updating[0];
    assert_eq!(turn.without_room_since, None);
    assert_eq!(turn.must_return, ["web"]);
}

/// Its pods wait behind those that have got its room: another termination would give nothing back.
#[test]
fn a_replica_that_was_terminated_and_holds_no_node_is_not_terminated_again() {
    let mut snapshot = without_room();
    step(&mut snapshot);
    change(&mut snapshot, |set| {
        let progress = set.status.as_mut().unwrap().update_progress.as_mut();
        progress.unwrap().currently_updating[0].must_return = vec!["web".into()];
    });
    let status = decide(&snapshot, after(100_000)).status.unwrap();
    assert_eq!(status.replica_attempts.len(), 0);
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    assert_eq!(update.reason, "NoRoom", "no termination will end that");
}

/// The user corrects the template while the pods have no room, and the API server refuses it, or the
/// user pauses the update. Nobody judges the room of the replica meanwhile.
#[rstest]
#[case::refused(false)]
#[case::paused(true)]
fn a_replica_in_turn_without_room_is_not_terminated_while_the_update_is_held(
    #[case] is_paused: bool,
) {
    let mut snapshot = without_room();
    step(&mut snapshot);
    if is_paused {
        change(&mut snapshot, |set| {
            set.spec.update_strategy.get_or_insert_default().paused = true;
        });
    } else {
        edit(&mut snapshot, "3");
        for known in snapshot.checks.answers.values_mut() {
            known.answer = CheckAnswer::Refused("no".into());
        }
    }
    finish(&mut snapshot, 0);
    let status = decide(&snapshot, after(660)).status.unwrap();
    assert_eq!(status.replica_attempts.len(), 0);
    let turns = status.update_progress.unwrap().currently_updating;
    assert!(turns.iter().all(|turn| turn.without_room_since.is_none()));
}

/// The new pods of the replica in turn run, and its PodClique has stored the end of its update.
pub(super) fn find_room(snapshot: &mut Snapshot) {
    finish(snapshot, 0);
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut();
    let record = status.unwrap().update_progress.as_mut().unwrap();
    record.update_ended_at = Some(Time(after(70)));
}

#[test]
fn a_replica_in_turn_that_finds_room_in_time_is_not_terminated() {
    let mut snapshot = without_room();
    step(&mut snapshot);
    find_room(&mut snapshot);
    let status = decide(&snapshot, after(660)).status.unwrap();
    assert_eq!(status.replica_attempts.len(), 0);
    assert_eq!(
        status.update_progress.unwrap().currently_updating[0].replica_index,
        1,
        "the turn passes on"
    );
}

/// Pods of another replica, which waited before, have got the room: as many replicas run as before
/// the update.
#[test]
fn a_turn_passes_on_from_a_replica_whose_room_another_one_has_got() {
    let mut snapshot = without_room();
    change(&mut snapshot, |set| {
        let status = set.status.as_mut().unwrap();
        status.update_progress.as_mut().unwrap().reached = Some(2);
    });
    let turn_after = |snapshot: &Snapshot| {
        let status = plan(snapshot).status.unwrap();
        let turns = status.update_progress.unwrap().currently_updating;
        (status.available_replicas, turns[0].replica_index)
    };
    assert_eq!(turn_after(&snapshot), (2, 0), "its wait is stored first");
    step(&mut snapshot);
    assert_eq!(turn_after(&snapshot), (2, 1));
    change(&mut snapshot, |set| {
        let status = set.status.as_mut().unwrap();
        status.update_progress.as_mut().unwrap().reached = Some(3);
    });
    assert_eq!(turn_after(&snapshot), (2, 0), "three ran before");
}

/// No other replica is due. If the turn passed on, the open record would give it back, again and again.
#[test]
fn a_turn_stays_where_there_is_no_room_while_a_partition_keeps_the_others() {
    let mut snapshot = without_room();
    change(&mut snapshot, |set| {
        let status = set.status.as_mut().unwrap();
        status.update_progress.as_mut().unwrap().reached = Some(2);
        set.spec.update_strategy.get_or_insert_default().partition = Some(3);
    });
    for _ in 0..4 {
        step(&mut snapshot);
        assert_eq!(turns_of(&progress(&snapshot)), [0]);
    }
}

/// It was updated and ran, and now it is down: another one would be the second.
#[test]
fn no_turn_begins_while_a_replica_that_ran_is_away() {
    let mut snapshot = changed();
    step(&mut snapshot);
    step(&mut snapshot);
    finish(&mut snapshot, 0);
    let pods = std::mem::take(&mut snapshot.podcliques.get_mut("demo-0-web").unwrap().pods);
    assert_eq!(progress(&snapshot).reached, Some(3));
    step(&mut snapshot);
    let waiting = progress(&snapshot);
    assert_eq!(turns_of(&waiting), Vec::<i32>::new());
    assert_eq!(waiting.update_ended_at, None);
    let status = snapshot.stored.status.as_ref().unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    let words = "1 of 3 replicas that ran are down";
    assert!(update.message.contains(words), "{}", update.message);
    snapshot.podcliques.get_mut("demo-0-web").unwrap().pods = pods;
    step(&mut snapshot);
    assert_eq!(turns_of(&progress(&snapshot)), [1]);
}

fn turns_of(progress: &PcsUpdateProgress) -> Vec<i32> {
    let turns = progress.currently_updating.iter();
    turns.map(|turn| turn.replica_index).collect()
}

/// Without a terminationDelay nothing ends it.
#[test]
fn a_replica_in_turn_without_room_is_reported() {
    let mut snapshot = without_room();
    change(&mut snapshot, |set| {
        set.spec.template.termination_delay = None;
    });
    let status = plan(&snapshot).status.unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    let words = "replica 0 has had no room for pods that have to run (since 2026-01-01T00:01:00Z)";
    assert!(update.message.contains(words), "{}", update.message);
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.status, "False", "the only replica in turn is down");
}
