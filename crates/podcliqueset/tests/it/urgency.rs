//! Which changes of a PodCliqueSet's status may wait.

use api::PodCliqueSetStatus;
use api::podcliqueset::PodCliqueSetPhase;
use domain::health::fence::{Cause, begin_attempts};
use engine::Reconciler;
use jiff::Timestamp;
use podcliqueset::PodCliqueSetReconciler;

fn is_urgent(old: &PodCliqueSetStatus, new: &PodCliqueSetStatus) -> bool {
    PodCliqueSetReconciler::is_urgent(old, new)
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
    let cause = || Cause {
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
