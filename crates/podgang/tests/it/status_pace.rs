//! Which changes of a PodGang's status may wait.

use api::PodGangStatus;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podgang::PodGangPhase;
use engine::{Pace, Reconciler};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podgang::PodGangReconciler;

fn is_urgent(old: &PodGangStatus, new: &PodGangStatus) -> bool {
    PodGangReconciler::pace(Some(old), new) == Pace::Now
}

#[test]
fn lets_steps_forward_of_a_gang_wait_and_steps_back_not() {
    let gang = |phase, is_scheduled: bool, is_unhealthy: bool| {
        let mut status = PodGangStatus {
            phase,
            ..PodGangStatus::default()
        };
        for (type_, holds, reason) in [
            (
                ConditionType::Scheduled,
                is_scheduled,
                Reason::GuaranteedPodsBound,
            ),
            (ConditionType::Unhealthy, is_unhealthy, Reason::PodsFailed),
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
    let pending = gang(PodGangPhase::Pending, false, false);
    let running = gang(PodGangPhase::Running, true, false);
    assert!(!is_urgent(&pending, &running));
    assert!(is_urgent(&running, &pending));
    let sick = gang(PodGangPhase::Running, true, true);
    assert!(is_urgent(&pending, &sick), "the trouble of that time");
}

#[test]
fn is_on_its_way_up_until_it_was_ready() {
    let gang = |last_ready: Option<i64>| PodGangStatus {
        last_ready: last_ready.map(|second| Time(Timestamp::from_second(second).unwrap())),
        ..PodGangStatus::default()
    };
    for (old, new, expected) in [
        (None, None, Pace::WhenUp),
        (None, Some(1), Pace::Soon),
        (Some(1), Some(1), Pace::Soon),
    ] {
        let found = PodGangReconciler::pace(Some(&gang(old)), &gang(new));
        assert_eq!(found, expected);
    }
}

/// A pod that is bound triggers its gang at once; the status shows it some seconds later (decision 95).
#[test]
fn bound_pods_wait_for_the_next_step_until_the_gang_was_ready() {
    let gang = |holds: bool, message: &str, last_ready: Option<Time>| {
        let mut status = PodGangStatus {
            last_ready,
            ..PodGangStatus::default()
        };
        let reason = if holds {
            Reason::GuaranteedPodsBound
        } else {
            Reason::GuaranteedPodsNotBound
        };
        let verdict = ConditionUpdate {
            type_: ConditionType::Scheduled,
            status: holds.into(),
            reason,
            message: message.to_owned(),
        };
        conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
        status
    };
    let was_ready = Some(Time(Timestamp::UNIX_EPOCH));
    for (last_ready, expected) in [(None, Pace::WhenUp), (was_ready, Pace::Soon)] {
        let old = gang(false, "a 0/2 scheduled", last_ready.clone());
        let one = gang(false, "a 1/2 scheduled", last_ready.clone());
        let both = gang(true, "a 2/2 scheduled", last_ready);
        for new in [one, both] {
            assert_eq!(PodGangReconciler::pace(Some(&old), &new), expected);
        }
    }
}

#[test]
fn a_first_status_waits_for_nothing() {
    let first = PodGangStatus::default();
    assert_eq!(PodGangReconciler::pace(None, &first), Pace::Now);
}
