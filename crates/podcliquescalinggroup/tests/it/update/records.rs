//! What holds for the whole turn: the most replicas that ran, and that what lost its record returns.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podclique::WaitingPod;
use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::RollingUpdate;
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use podcliquescalinggroup::decide::decide;
use rstest::rstest;
use testkit::builders::after;

use super::{all_ready, no_pods, renew, updated};
use crate::situation::plan;

/// All three were available, and the update was done. While it was held two were lost, and then the
/// set accepted a newer template.
fn with_a_newer_template(ended: i64, waits: bool) -> Snapshot {
    let mut snapshot = updated(|_| ());
    for name in ["demo-0-g-1-worker", "demo-0-g-2-worker"] {
        no_pods(&mut snapshot, name);
    }
    let group = Arc::make_mut(&mut snapshot.group);
    let status = group.status.as_mut().unwrap();
    let record = status.update_progress.as_mut().unwrap();
    record.pod_clique_set_generation_hash = "r1older".into();
    record.update_ended_at = Some(Time(after(ended)));
    record.waiting_since = waits.then(|| WaitingPod {
        uid: "uid-of-the-waiting".into(),
        since: Time(after(0)),
    });
    snapshot
}

fn progress(snapshot: &Snapshot) -> PcsgUpdateProgress {
    plan(snapshot).status.unwrap().update_progress.unwrap()
}

/// The turn began at 30, and two are required.
#[rstest]
#[case::all_were_available(40, false, 3)]
#[case::one_had_no_room(40, true, 2)]
#[case::in_an_earlier_turn(20, false, 1)]
fn losses_while_an_update_is_held_do_not_lower_the_number_that_has_to_stay(
    #[case] ended: i64,
    #[case] waits: bool,
    #[case] reached: i32,
) {
    let progress = progress(&with_a_newer_template(ended, waits));
    assert_eq!(progress.update_ended_at, None);
    assert_eq!(progress.reached, Some(reached));
}

/// Its record went with the group that it replaces. All its PodCliques are new.
#[rstest]
#[case::none(0, false)]
#[case::too_few(1, false)]
#[case::the_minimum(2, true)]
fn a_recreated_group_holds_the_turn_until_its_minimum_is_available(
    #[case] up: i32,
    #[case] has_ended: bool,
) {
    let mut snapshot = updated(|_| ());
    (0..3).for_each(|j| renew(&mut snapshot, j));
    for j in 0..up {
        let place = format!("demo-0-g-{j}-");
        let all = snapshot.podcliques.values();
        let members = all.filter(|c| ownership::name(&c.metadata).starts_with(&place));
        let pods: Vec<_> = members.map(|c| all_ready(c)).collect();
        snapshot.pods.extend(pods);
    }
    let group = Arc::make_mut(&mut snapshot.group);
    group.metadata.creation_timestamp = Some(Time(after(40)));
    group.status = None;
    assert_eq!(progress(&snapshot).update_ended_at.is_some(), has_ended);
}

/// The reason of `UpdateInProgress` in a decision at this second, which is carried out.
fn reason_at(snapshot: &mut Snapshot, seconds: i64) -> String {
    let status = decide(snapshot, after(seconds)).status.unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress);
    let reason = update.unwrap().reason.clone();
    Arc::make_mut(&mut snapshot.group).status = Some(status);
    reason
}

fn pause(snapshot: &mut Snapshot, is_paused: bool) {
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    set.spec.update_strategy.get_or_insert_default().paused = is_paused;
}

#[test]
fn the_time_of_a_pause_is_not_that_of_its_deadline() {
    let rolling = RollingUpdate {
        progress_deadline: Some("60s".into()),
        ..RollingUpdate::default()
    };
    let mut snapshot =
        updated(|s| s.spec.template.scaling_groups[0].rolling_update = Some(rolling));
    assert_eq!(reason_at(&mut snapshot, 60), "Progressing");
    pause(&mut snapshot, true);
    assert_eq!(reason_at(&mut snapshot, 300), "NoActiveUpdate");
    pause(&mut snapshot, false);
    assert_eq!(reason_at(&mut snapshot, 600), "Progressing");
    assert_eq!(reason_at(&mut snapshot, 659), "Progressing");
    assert_eq!(reason_at(&mut snapshot, 660), "ProgressDeadlineExceeded");
}
