//! Which changes of a PodCliqueSet's status may wait.

use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podcliqueset::PodCliqueSetPhase;
use domain::health::fence::{AttemptCause, begin_attempts};
use engine::{Pace, Reconciler};
use jiff::Timestamp;
use podcliqueset::PodCliqueSetReconciler;

fn is_urgent(old: &PodCliqueSetStatus, new: &PodCliqueSetStatus) -> bool {
    PodCliqueSetReconciler::pace(Some(old), new) == Pace::Now
}

#[test]
fn the_first_pod_that_runs_may_be_reported_late_and_how_a_workload_ends_may_not() {
    let set = |phase| PodCliqueSetStatus {
        phase: Some(phase),
        ..PodCliqueSetStatus::default()
    };
    let [pending, running] = [PodCliqueSetPhase::Pending, PodCliqueSetPhase::Running].map(set);
    assert!(!is_urgent(&pending, &running));
    assert!(is_urgent(&running, &pending));
    for end in [PodCliqueSetPhase::Succeeded, PodCliqueSetPhase::Failed] {
        assert!(is_urgent(&pending, &set(end)) && is_urgent(&running, &set(end)));
    }
}

#[test]
fn a_new_attempt_is_urgent() {
    let cause = || AttemptCause {
        reason: "MinAvailableBreached".into(),
        message: String::new(),
    };
    let status = |replica_attempts| PodCliqueSetStatus {
        replica_attempts,
        ..PodCliqueSetStatus::default()
    };
    let before = status(begin_attempts(&[], [(0, cause())], Timestamp::UNIX_EPOCH));
    let after = status(begin_attempts(
        &before.replica_attempts,
        [(1, cause())],
        Timestamp::UNIX_EPOCH,
    ));
    assert!(is_urgent(&before, &after));
}

#[test]
fn is_on_its_way_up_while_it_is_not_ready_and_not_in_an_update() {
    let set = |is_ready: bool, is_updating: bool| {
        let mut status = PodCliqueSetStatus::default();
        for (type_, holds, reason) in [
            (ConditionType::Ready, is_ready, Reason::PodsStarting),
            (
                ConditionType::UpdateInProgress,
                is_updating,
                Reason::UpdateInProgress,
            ),
        ] {
            let verdict = ConditionUpdate {
                type_,
                status: holds.into(),
                reason,
                message: String::new(),
            };
            conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
        }
        status
    };
    let rises = set(false, false);
    let more = |is_updating| PodCliqueSetStatus {
        replicas: 1,
        ..set(false, is_updating)
    };
    for (old, next, expected) in [
        (rises.clone(), more(false), Pace::WhenUp),
        (rises.clone(), set(true, false), Pace::Soon),
        (set(true, false), rises.clone(), Pace::Now),
        (rises.clone(), set(false, true), Pace::Now),
        (set(false, true), rises, Pace::Now),
        (set(false, true), more(true), Pace::Soon),
    ] {
        assert_eq!(PodCliqueSetReconciler::pace(Some(&old), &next), expected);
    }
}

#[test]
fn a_first_status_waits_for_nothing() {
    let first = PodCliqueSetStatus::default();
    assert_eq!(PodCliqueSetReconciler::pace(None, &first), Pace::Now);
}
