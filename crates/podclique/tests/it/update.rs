//! Pods of an older template: which go, how many, and how the status reports it.

mod older;
mod records;
mod surge;
mod vacancies;

use std::sync::Arc;

use api::PodCliqueStatus;
use api::conditions::{self, ConditionType};
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::RollingUpdate;
use api::{PodClique, labels};
use domain::plan::Action;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use podclique::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique};

use crate::situation::{plan, ready, situation, writes};

const NEWEST: &str = "r1newestnewestxx";

/// 4 pods with the newest template, of which `min` are required.
fn clique(min: i32) -> Arc<PodClique> {
    let label = |c: &mut PodClique| {
        let all = c.metadata.labels.get_or_insert_default();
        all.insert(labels::POD_TEMPLATE_HASH.into(), NEWEST.into());
    };
    podclique("demo-0-worker")
        .size(4, min)
        .was_available()
        .with(label)
        .build()
}

fn old(builder: PodBuilder) -> PodBuilder {
    builder.with(|p| {
        let all = p.metadata.labels.get_or_insert_default();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "r1olderolderolde".into());
    })
}

/// It is the turn of its replica, and all pods were available when it began.
fn in_turn(clique: &Arc<PodClique>, pods: Vec<PodBuilder>) -> Snapshot {
    let mut snapshot = before_turn(clique, pods);
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.get_or_insert_default();
    status.update_progress = Some(record(None));
    snapshot
}

/// The record of an update that found 4 available pods.
fn record(update_ended_at: Option<Time>) -> PclqUpdateProgress {
    PclqUpdateProgress {
        update_ended_at,
        reached: Some(4),
        ..PclqUpdateProgress::begin("r1generation".into(), NEWEST.into(), Time(after(10)))
    }
}

/// Nothing of the turn is stored yet.
fn before_turn(clique: &Arc<PodClique>, pods: Vec<PodBuilder>) -> Snapshot {
    let mut snapshot = situation(clique, pods);
    let set = snapshot.set.as_mut().unwrap();
    set.template_hash = Some(NEWEST.into());
    set.generation_hash = Some("r1generation".into());
    set.update.is_updating = true;
    snapshot
}

fn with_budget(mut snapshot: Snapshot, max_unavailable: i32) -> Snapshot {
    let set = snapshot.set.as_mut().unwrap();
    set.update.rolling = Some(RollingUpdate {
        max_unavailable: Some(max_unavailable),
        progress_deadline: None,
        ..RollingUpdate::default()
    });
    snapshot
}

fn deleted(snapshot: &Snapshot) -> usize {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    all.filter(|a| matches!(a, Action::Delete { .. })).count()
}

fn all_old(clique: &PodClique) -> Vec<PodBuilder> {
    ready(clique, 0..4).into_iter().map(old).collect()
}

#[test]
fn replaces_the_ready_pod_with_the_highest_index_and_reports_it() {
    let clique = clique(3);
    let mut pods = all_old(&clique);
    let second = pods.remove(1);
    pods.push(second.created(-100));
    assert_snapshot!(plan(&in_turn(&clique, pods)));
}

#[test]
fn deletes_nothing_before_the_number_of_available_pods_is_stored() {
    let clique = clique(4);
    let mut pods = all_old(&clique);
    pods.push(old(pod(&clique, 3)));
    let snapshot = before_turn(&clique, pods.into_iter().take(3).collect());
    assert_eq!(deleted(&snapshot), 0);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.update_progress.unwrap().reached, Some(3));
}

#[test]
fn a_newer_template_does_not_lower_the_number_that_has_to_stay() {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique).into_iter().take(3).collect());
    snapshot.set.as_mut().unwrap().generation_hash = Some("r1newer".into());
    assert_eq!(deleted(&snapshot), 0);
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.pod_clique_set_generation_hash, "r1newer");
    assert_eq!(progress.reached, Some(4));
}

/// The API server has not accepted a newer template yet, or the user paused the update.
#[test]
fn replaces_nothing_while_the_update_is_held() {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.is_held = true;
    update.keeps_records = true;
    assert_eq!(deleted(&snapshot), 0);
    let before = snapshot.podclique.status.clone().unwrap().update_progress;
    assert_eq!(plan(&snapshot).status.unwrap().update_progress, before);
}

/// 8 are wanted, and 4 had room when the turn began.
#[test]
fn pods_that_never_had_room_do_not_use_the_budget_up() {
    let mut clique = clique(2);
    Arc::make_mut(&mut clique).spec.replicas = 8;
    let mut pods = all_old(&clique);
    pods.extend((4..8).map(|k| pod(&clique, k).ungated()));
    assert_eq!(deleted(&in_turn(&clique, pods)), 1);
}

/// A probe failed once, of all pods.
#[test]
fn a_short_loss_of_readiness_deletes_nothing() {
    let clique = clique(4);
    let unready = |seconds: i64| {
        let pods = all_old(&clique).into_iter().map(move |p| {
            p.with(move |p| {
                p.status.start_time = Some(Time(after(-100)));
                for condition in &mut p.status.conditions {
                    if condition.type_ == "Ready" {
                        condition.status = "False".into();
                        condition.last_transition_time = Some(Time(after(60 - seconds)));
                    }
                }
            })
        });
        in_turn(&clique, pods.collect())
    };
    assert_eq!(deleted(&unready(29)), 0);
    assert_eq!(plan(&unready(29)).wake_at, Some(after(61)));
    assert_eq!(deleted(&unready(30)), 4);
}

#[rstest]
#[case::unset(4, None, 1)]
#[case::two(4, Some(2), 2)]
#[case::two_with_slack_of_one(3, Some(2), 1)]
#[case::more_than_there_are(4, Some(9), 4)]
fn takes_down_no_more_than_the_budget(
    #[case] min: i32,
    #[case] max_unavailable: Option<i32>,
    #[case] expected: usize,
) {
    let clique = clique(min);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    if let Some(max_unavailable) = max_unavailable {
        snapshot = with_budget(snapshot, max_unavailable);
    }
    assert_eq!(deleted(&snapshot), expected);
}

#[test]
fn counts_terminating_and_missing_pods() {
    let clique = clique(4);
    let mut pods = all_old(&clique);
    let first = pods.remove(0).terminating(59);
    pods.push(first);
    assert_eq!(deleted(&in_turn(&clique, pods)), 0);
    let missing = all_old(&clique).into_iter().skip(1).collect();
    assert_eq!(deleted(&in_turn(&clique, missing)), 0);
}

#[test]
fn replaces_pods_that_are_not_ready_at_once_and_in_the_version_that_was_seen() {
    let clique = clique(4);
    let mut pods: Vec<_> = all_old(&clique).into_iter().take(2).collect();
    pods.push(old(pod(&clique, 2).waiting("ImagePullBackOff")));
    pods.push(old(pod(&clique, 3)));
    assert_snapshot!(writes(&plan(&in_turn(&clique, pods))));
}

/// A crash long ago does not count: the Go operator deleted all such pods at once.
#[test]
fn a_ready_pod_that_crashed_once_is_ready() {
    let clique = clique(4);
    let pods = all_old(&clique).into_iter().map(|p| {
        p.with(|p| {
            for status in &mut p.status.container_statuses {
                status.restart_count = 3;
            }
        })
    });
    assert_eq!(deleted(&in_turn(&clique, pods.collect())), 1);
}

#[test]
fn leaves_pods_alone_when_it_is_not_its_turn() {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    snapshot.set.as_mut().unwrap().update.is_updating = false;
    assert_eq!(deleted(&snapshot), 0);
}

#[test]
fn waits_until_it_has_the_newest_template_itself() {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    snapshot.set.as_mut().unwrap().template_hash = Some("r1evennewerevenn".into());
    assert_eq!(deleted(&snapshot), 0);
}

#[test]
fn does_not_touch_pods_of_a_replica_that_is_terminated() {
    let clique = clique(4);
    let mut snapshot = in_turn(&clique, all_old(&clique));
    snapshot.may_create = false;
    assert_eq!(deleted(&snapshot), 0);
}

#[test]
fn ends_when_all_that_are_wanted_are_ready() {
    let clique = clique(4);
    let three = plan(&in_turn(&clique, ready(&clique, 0..3)));
    let four = plan(&in_turn(&clique, ready(&clique, 0..4)));
    let ended = |plan: &domain::plan::Plan<api::PodCliqueStatus>| {
        let progress = plan.status.as_ref().unwrap().update_progress.clone();
        progress.unwrap().update_ended_at.is_some()
    };
    assert!(!ended(&three));
    assert!(ended(&four));
}

/// Its hash changes when all pods exist, not when the last old one is gone.
#[test]
fn reports_no_hash_before_all_pods_exist() {
    let clique = clique(4);
    let hash = |pods| {
        let plan = plan(&in_turn(&clique, pods));
        plan.status.unwrap().current_pod_template_hash
    };
    assert_eq!(hash(ready(&clique, 0..3)), None);
    assert_eq!(hash(ready(&clique, 0..4)).as_deref(), Some(NEWEST));
}

/// While it is updated too few pods are no breach (docs/semantics.md §2.2).
#[test]
fn a_shortage_during_its_turn_is_no_breach() {
    let clique = clique(4);
    let status = plan(&in_turn(&clique, ready(&clique, 0..2)))
        .status
        .unwrap();
    let breach = status
        .conditions
        .iter()
        .find(|c| c.type_ == "MinAvailableBreached");
    let breach = breach.unwrap();
    assert_eq!(
        (&*breach.status, &*breach.reason),
        ("Unknown", "UpdateInProgress")
    );
}

/// As soon as the template changed, with `OnDelete`, or when all pods were Ready for a moment.
fn that_had_ended(mut snapshot: Snapshot) -> Snapshot {
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.get_or_insert_default();
    status.update_progress = Some(record(Some(Time(after(10)))));
    snapshot
}

fn update_status(status: &PodCliqueStatus) -> &str {
    let found = conditions::find(&status.conditions, ConditionType::UpdateInProgress);
    &found.unwrap().reason
}

#[test]
fn an_update_that_had_ended_goes_on_with_a_deadline_of_its_own() {
    let clique = clique(4);
    let mut snapshot = that_had_ended(in_turn(&clique, all_old(&clique)));
    snapshot.set.as_mut().unwrap().update.rolling = Some(RollingUpdate {
        max_unavailable: None,
        progress_deadline: Some("60s".into()),
        ..RollingUpdate::default()
    });
    let begun = plan(&snapshot);
    assert_eq!(begun.wake_at, Some(after(120)));
    let status = begun.status.unwrap();
    assert_eq!(update_status(&status), "Progressing");
    Arc::make_mut(&mut snapshot.podclique).status = Some(status);
    let late = decide(&snapshot, after(120)).status.unwrap();
    assert_eq!(update_status(&late), "ProgressDeadlineExceeded");
}

#[test]
fn an_update_that_had_ended_and_is_done_stays_so() {
    let clique = clique(4);
    let snapshot = that_had_ended(in_turn(&clique, ready(&clique, 0..4)));
    let status = plan(&snapshot).status.unwrap();
    let ended_at = status.update_progress.unwrap().update_ended_at;
    assert_eq!(ended_at, Some(Time(after(10))));
}

/// Dynamo sends traffic by it, so it waits for Ready pods.
#[test]
fn the_generation_is_current_once_the_update_has_ended() {
    let clique = clique(3);
    let current = |up| {
        let pods = (0..4).map(|k| pod(&clique, k));
        let pods = pods
            .zip(0..)
            .map(|(p, k)| if k < up { p.ready() } else { p.bound() });
        let status = plan(&in_turn(&clique, pods.collect())).status.unwrap();
        let has_ended = status.update_progress.unwrap().update_ended_at.is_some();
        (status.current_pod_clique_set_generation_hash, has_ended)
    };
    assert_eq!(current(3), (None, false), "one is not Ready");
    assert_eq!(current(4), (Some("r1generation".into()), true));
}
