//! What holds for the whole turn: the most pods that ran, and that what lost its record returns.

use std::sync::Arc;

use api::LastError;
use api::podclique::{PclqUpdateProgress, WaitingPod};
use api::podcliqueset::RollingUpdate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use podclique::decide::decide;
use rstest::rstest;
use testkit::builders::{after, pod};

use super::{all_old, before_turn, clique, deleted, in_turn, that_had_ended, update_status};
use crate::situation::{plan, ready};

/// All four were available, and the update was done in the turn that began at 5. While it was held
/// all but one were lost, and then the set accepted a newer template.
fn with_a_newer_template() -> Snapshot {
    let clique = clique(2);
    let pods = all_old(&clique).into_iter().take(1).collect();
    let mut snapshot = that_had_ended(in_turn(&clique, pods));
    let set = snapshot.set.as_mut().unwrap();
    set.generation_hash = Some("r1newer".into());
    set.update.turn_started_at = Some(Time(after(5)));
    snapshot
}

fn store_status(snapshot: &mut Snapshot) -> PclqUpdateProgress {
    let status = plan(snapshot).status.unwrap();
    let progress = status.update_progress.clone().unwrap();
    Arc::make_mut(&mut snapshot.podclique).status = Some(status);
    progress
}

#[test]
fn losses_while_an_update_is_held_do_not_lower_the_number_that_has_to_stay() {
    let mut snapshot = with_a_newer_template();
    assert_eq!(deleted(&snapshot), 0);
    let progress = store_status(&mut snapshot);
    assert_eq!(progress.pod_clique_set_generation_hash, "r1newer");
    assert_eq!(progress.update_ended_at, None);
    assert_eq!(progress.reached, Some(4));
    assert_eq!(deleted(&snapshot), 0);
}

/// The record ended with fewer pods than ran before.
#[rstest]
#[case::a_pod_waited(true)]
#[case::a_quota_refused_one(false)]
fn pods_that_had_no_room_do_not_have_to_stay(#[case] waits: bool) {
    let mut snapshot = with_a_newer_template();
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.as_mut().unwrap();
    if waits {
        let record = status.update_progress.as_mut().unwrap();
        record.waiting_since = Some(WaitingPod {
            uid: "uid-of-the-waiting".into(),
            since: Time(after(0)),
        });
    } else {
        status.last_errors = vec![LastError {
            code: "ERR_CREATE_POD".into(),
            description: "create Pod: forbidden: exceeded quota: q".into(),
            observed_at: Time(after(50)),
        }];
    }
    let reached = store_status(&mut snapshot).reached;
    assert_eq!(reached, Some(2), "the minimum had room");
}

#[test]
fn pods_count_from_nothing_in_a_turn_of_their_own() {
    let mut snapshot = with_a_newer_template();
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.turn_started_at = Some(Time(after(20)));
    assert_eq!(store_status(&mut snapshot).reached, Some(1));
}

/// Its record went with the PodClique that it replaces.
#[rstest]
#[case::none(0, false)]
#[case::too_few(1, false)]
#[case::the_minimum(2, true)]
fn a_recreated_clique_holds_the_turn_until_its_minimum_is_available(
    #[case] up: i32,
    #[case] has_ended: bool,
) {
    let clique = clique(2);
    let mut snapshot = before_turn(&clique, ready(&clique, 0..up));
    snapshot.set.as_mut().unwrap().update.is_recreated = true;
    for _ in 0..2 {
        let progress = store_status(&mut snapshot);
        assert_eq!(progress.update_ended_at.is_some(), has_ended);
    }
}

/// Four of five had room, and run again: the end has nothing to do with the other one.
#[test]
fn an_update_that_ends_with_all_that_ran_notes_no_pod_that_waits() {
    let mut clique = clique(2);
    Arc::make_mut(&mut clique).spec.replicas = 5;
    let mut pods = ready(&clique, 0..4);
    pods.push(pod(&clique, 4).ungated());
    let progress = store_status(&mut in_turn(&clique, pods));
    assert!(progress.update_ended_at.is_some());
    assert_eq!(progress.waiting_since, None);
}

/// The reason of `UpdateInProgress` in a decision at this second, which is carried out.
fn reason_at(snapshot: &mut Snapshot, seconds: i64) -> String {
    let status = decide(snapshot, after(seconds)).status.unwrap();
    let reason = update_status(&status).to_owned();
    Arc::make_mut(&mut snapshot.podclique).status = Some(status);
    reason
}

/// Paused, or held by a template that the API server refuses: that is no standstill of its pods.
#[rstest]
#[case::in_its_turn(true)]
#[case::after_a_pause_took_the_turn_away(false)]
fn the_time_in_which_an_update_rests_is_not_that_of_its_deadline(#[case] has_turn: bool) {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    let rolling = RollingUpdate {
        progress_deadline: Some("60s".into()),
        ..RollingUpdate::default()
    };
    snapshot.set.as_mut().unwrap().update.rolling = Some(rolling);
    assert_eq!(reason_at(&mut snapshot, 60), "Progressing");
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.is_updating = has_turn;
    update.keeps_records = true;
    update.is_held = has_turn;
    update.rests = has_turn;
    assert_eq!(reason_at(&mut snapshot, 300), "NoActiveUpdate");
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.is_updating = true;
    update.keeps_records = false;
    update.is_held = false;
    update.rests = false;
    assert_eq!(reason_at(&mut snapshot, 600), "Progressing");
    assert_eq!(reason_at(&mut snapshot, 659), "Progressing");
    assert_eq!(reason_at(&mut snapshot, 660), "ProgressDeadlineExceeded");
}
