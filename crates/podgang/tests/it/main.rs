//! Tests of the PodGang life cycle.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod actions;
mod constraints;
mod foreign;
mod kai;
mod kubernetes;
mod marks;
mod no_domain;
mod placement;
mod queueing;
mod recorded;
mod scattered;
mod status_pace;
mod surplus;
mod tree;
mod volcano;

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podgang::{PodGangPhase, SchedulingPhase};
use api::{PodGang, PodGangStatus, labels};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podgang::Snapshot;
use podgang::decide::decide;
use podgang::gang_part::GangPart;
use testkit::builders::{PodBuilder, after, pod, podclique, stored};

/// A gang of one part with a minimum of 2.
fn gang(before: Option<PodGangStatus>, pods: Vec<PodBuilder>) -> Snapshot {
    Snapshot {
        gang: Arc::new(PodGang {
            metadata: ObjectMeta {
                labels: Some(labels::default_labels("demo")),
                ..stored("demo-0")
            },
            status: before,
            ..PodGang::default()
        }),
        parts: vec![GangPart {
            name: "demo-0-worker".into(),
            min_replicas: 2,
            pods: pods.into_iter().map(PodBuilder::build).collect(),
            ..GangPart::default()
        }],
        ..Snapshot::default()
    }
}

fn status(snapshot: &Snapshot) -> PodGangStatus {
    let plan = decide(snapshot, after(60));
    assert_eq!(
        plan,
        decide(snapshot, after(60)),
        "decide is not a function of its input"
    );
    assert!(plan.writes_nothing());
    plan.status.unwrap()
}

fn pods(adapt: impl Fn(PodBuilder) -> PodBuilder) -> Vec<PodBuilder> {
    let clique = podclique("demo-0-worker").size(3, 2).build();
    (0..3).map(|k| adapt(pod(&clique, k))).collect()
}

fn phases(status: &PodGangStatus) -> (PodGangPhase, Option<SchedulingPhase>) {
    (status.phase, status.scheduling_phase)
}

#[test]
fn has_no_scheduling_phase_until_its_pods_exist_without_gates() {
    let none = status(&gang(None, vec![]));
    assert_eq!(phases(&none), (PodGangPhase::Pending, None));
    assert_snapshot!(serde_json::to_string_pretty(&none).unwrap());
    let gated = status(&gang(None, pods(|p| p)));
    assert_eq!(phases(&gated), (PodGangPhase::Pending, None));
}

#[test]
fn walks_through_its_life() {
    let pending = status(&gang(None, pods(PodBuilder::ungated)));
    assert_eq!(
        phases(&pending),
        (PodGangPhase::Pending, Some(SchedulingPhase::Pending))
    );
    let mut some = pods(PodBuilder::ungated);
    some[0] = some[0].clone().bound();
    let binding = status(&gang(Some(pending), some));
    assert_eq!(
        phases(&binding),
        (PodGangPhase::Starting, Some(SchedulingPhase::Binding))
    );
    let scheduled = status(&gang(Some(binding), pods(PodBuilder::bound)));
    assert_eq!(
        phases(&scheduled),
        (PodGangPhase::Starting, Some(SchedulingPhase::Scheduled))
    );
    let running = status(&gang(Some(scheduled), pods(PodBuilder::ready)));
    assert_eq!(
        phases(&running),
        (PodGangPhase::Running, Some(SchedulingPhase::Scheduled))
    );
    assert_snapshot!(serde_json::to_string_pretty(&running).unwrap());
}

#[test]
fn needs_its_guaranteed_pods_only() {
    let mut two = pods(PodBuilder::ready);
    two[2] = pods(PodBuilder::ungated).remove(2);
    assert_eq!(
        phases(&status(&gang(None, two))),
        (PodGangPhase::Running, Some(SchedulingPhase::Scheduled))
    );
}

#[test]
fn goes_back_to_pending_when_it_was_preempted_and_stays_there_until_it_is_whole_again() {
    let scheduled = status(&gang(None, pods(PodBuilder::ready)));
    let mut lost = pods(PodBuilder::ungated);
    lost[0] = lost[0].clone().ready();
    let preempted = status(&gang(Some(scheduled), lost.clone()));
    assert_eq!(
        phases(&preempted),
        (PodGangPhase::Pending, Some(SchedulingPhase::Pending))
    );
    // Its earlier existence is not forgotten.
    assert!(preempted.last_scheduled.is_some() && preempted.last_ready.is_some());
    let again = status(&gang(Some(preempted.clone()), lost));
    assert_eq!(phases(&again), phases(&preempted), "flaps");
    let whole = status(&gang(Some(again), pods(PodBuilder::ready)));
    assert_eq!(
        phases(&whole),
        (PodGangPhase::Running, Some(SchedulingPhase::Scheduled))
    );
}

#[test]
fn names_pods_that_failed_or_are_about_to_be_evicted() {
    let mut troubled = pods(PodBuilder::ready);
    troubled[0] = troubled[0].clone().phase("Failed");
    troubled[1] = troubled[1].clone().condition("DisruptionTarget", "True");
    assert_snapshot!(
        serde_json::to_string_pretty(&status(&gang(None, troubled)).conditions).unwrap()
    );
}

#[test]
fn leaves_foreign_podgangs_alone() {
    let mut snapshot = gang(None, pods(PodBuilder::ready));
    Arc::make_mut(&mut snapshot.gang).metadata = stored("demo-0");
    assert_eq!(decide(&snapshot, after(60)).status, None);
}

#[test]
fn a_slot_whose_work_is_done_counts_as_placed_and_ready() {
    let mut snapshot = gang(None, pods(PodBuilder::ready).into_iter().take(1).collect());
    snapshot.parts[0].completed = [1].into();
    let status = status(&snapshot);
    assert_eq!(
        phases(&status),
        (PodGangPhase::Running, Some(SchedulingPhase::Scheduled))
    );
}

#[test]
fn names_the_missing_pods_of_its_parts() {
    let mut snapshot = gang(None, pods(|p| p.waiting("ImagePullBackOff")));
    snapshot.parts[0].podclique = Some(podclique("demo-0-worker").size(3, 2).build());
    let status = status(&snapshot);
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.reason, "ImagePullFailed");
    assert_snapshot!(ready.message, @"podclique demo-0-worker 0/2 pods ready: demo-0-worker-p0: container main: its image cannot be pulled");
}

#[test]
fn a_gang_of_a_suspended_set_says_so() {
    let mut snapshot = gang(None, vec![]);
    snapshot.parts[0].podclique = Some(podclique("demo-0-worker").size(2, 2).build());
    snapshot.is_suspended = true;
    let status = status(&snapshot);
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(
        (&*ready.reason, &*ready.message),
        (
            "Suspended",
            "podclique demo-0-worker waits until the PodCliqueSet is resumed"
        )
    );
}
