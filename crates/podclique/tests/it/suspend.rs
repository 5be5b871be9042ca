//! The PodClique of a suspended set (docs/semantics.md §15.2).

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::{PodClique, PodCliqueStatus};
use domain::health::readiness::Start;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use podclique::Snapshot;
use testkit::builders::{after, pod, podclique};

use crate::situation::{gang_listing, plan, ready, situation, writes};

/// The set is suspended, as stored.
pub fn suspend(snapshot: &mut Snapshot) {
    snapshot.set.as_mut().unwrap().is_suspended = true;
    snapshot.may_create = false;
    snapshot.start = Start::Suspended;
}

/// `demo-0-worker` of 3 pods, of which 2 are required, with this status.
fn clique(status: PodCliqueStatus) -> Arc<PodClique> {
    let sized = podclique("demo-0-worker").size(3, 2);
    sized.with(|c| c.status = Some(status)).build()
}

fn available() -> PodCliqueStatus {
    PodCliqueStatus {
        was_available: true,
        ..PodCliqueStatus::default()
    }
}

/// It was available, and has stored that it starts like a new one.
fn noted() -> PodCliqueStatus {
    PodCliqueStatus {
        was_idle: Some(true),
        ..available()
    }
}

fn suspended(clique: &Arc<PodClique>, up: i32) -> Snapshot {
    let mut snapshot = situation(clique, ready(clique, 0..up));
    suspend(&mut snapshot);
    snapshot
}

fn breach_of(status: &PodCliqueStatus) -> String {
    let found = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    format!("{}/{}", found.status, found.reason)
}

#[test]
fn says_that_it_starts_like_a_new_one_before_it_deletes_a_pod() {
    let running = clique(available());
    let first = plan(&suspended(&running, 3));
    assert!(first.writes_nothing(), "{first}");
    let status = first.status.unwrap();
    assert_eq!(status.was_idle, Some(true));
    let second = plan(&suspended(&clique(status), 3));
    insta::assert_snapshot!(writes(&second), @"
    wave 1
      delete Pod demo-0-worker-p0 at version 1: the set is suspended
      delete Pod demo-0-worker-p1 at version 1: the set is suspended
      delete Pod demo-0-worker-p2 at version 1: the set is suspended
    ");
}

/// The latch counts, however few pods are up now.
#[test]
fn one_without_pods_says_so_too() {
    let status = plan(&suspended(&clique(available()), 0)).status.unwrap();
    assert_eq!(status.was_idle, Some(true));
}

#[test]
fn one_that_never_was_available_deletes_its_pods_at_once() {
    let plan = plan(&suspended(&clique(PodCliqueStatus::default()), 1));
    assert!(writes(&plan).contains("delete Pod"), "{plan}");
    assert_eq!(plan.status.unwrap().was_idle, None);
}

/// The resume waits for each of them.
#[test]
fn pods_go_although_a_limit_is_exceeded() {
    let mut snapshot = suspended(&clique(noted()), 3);
    snapshot.set.as_mut().unwrap().is_over_limits = true;
    assert_eq!(writes(&plan(&snapshot)).matches("delete Pod").count(), 3);
}

/// The set may be resumed by now.
#[test]
fn nothing_is_deleted_while_the_view_may_be_outdated() {
    let mut snapshot = suspended(&clique(noted()), 3);
    snapshot.is_view_outdated = true;
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn pods_that_ended_stay_and_nothing_is_created_or_started() {
    let clique = clique(noted());
    let pods = vec![pod(&clique, 0).bound().phase("Failed"), pod(&clique, 1)];
    let mut snapshot = situation(&clique, pods);
    snapshot.gang = Some(gang_listing(&clique, &snapshot.pods));
    suspend(&mut snapshot);
    insta::assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete Pod demo-0-worker-p1 at version 1: the set is suspended
    ");
}

/// A breach, and the memory of one, end with the suspension.
#[test]
fn nothing_is_a_breach_meanwhile() {
    let mut status = available();
    status.scaled_below_to = Some(1);
    status.breached_since = Some(Time(after(0)));
    status.conditions = vec![Condition {
        type_: "MinAvailableBreached".into(),
        status: "True".into(),
        reason: "InsufficientReadyPods".into(),
        message: String::new(),
        last_transition_time: Time(after(0)),
        observed_generation: None,
    }];
    let mut snapshot = suspended(&clique(status), 1);
    snapshot.set.as_mut().unwrap().breach_memory = SignedDuration::from_mins(10);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(breach_of(&status), "False/Suspended");
    assert_eq!(
        (status.breached_since, status.scaled_below_to),
        (None, None)
    );
}

#[test]
fn it_is_not_ready_and_says_why() {
    let status = plan(&suspended(&clique(noted()), 3)).status.unwrap();
    let found = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(
        (&*found.status, &*found.reason, &*found.message),
        (
            "False",
            "Suspended",
            "waits until the PodCliqueSet is resumed"
        )
    );
    assert!(conditions::find(&status.conditions, ConditionType::Stalled).is_none());
}

/// Like a PodClique that was recreated.
#[test]
fn resumed_it_is_not_breached_before_it_was_available_again() {
    let mut status = noted();
    for (up, was_idle, breach) in [
        (0, true, "False/NeverAvailable"),
        (1, true, "False/NeverAvailable"),
        (2, false, "False/SufficientReadyPods"),
        (1, false, "True/InsufficientReadyPods"),
    ] {
        let resumed = clique(status);
        status = plan(&situation(&resumed, ready(&resumed, 0..up)))
            .status
            .unwrap();
        assert_eq!(status.was_idle == Some(true), was_idle, "{up} Ready");
        assert_eq!(breach_of(&status), breach, "{up} Ready");
    }
}

#[test]
fn resumed_it_creates_its_pods() {
    let plan = plan(&situation(&clique(noted()), vec![]));
    assert_eq!(writes(&plan).matches("create Pod").count(), 3, "{plan}");
}
