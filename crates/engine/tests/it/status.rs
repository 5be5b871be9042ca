//! Which changes of a status may wait.

use api::conditions::{self, ConditionType, Reason, Status, Verdict};
use api::podcliqueset::PodCliqueSetPhase;
use api::podgang::PodGangPhase;
use api::{LastError, PodCliqueSetStatus, PodCliqueStatus, PodGangStatus, codes};
use domain::health::fence::{Cause, raise};
use domain::health::readiness;
use engine::status::{is_urgent, keep_times, raised, set_name_conflict};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

fn with_condition(status: Status, message: &str) -> PodCliqueStatus {
    let mut next = PodCliqueStatus::default();
    let verdict = Verdict {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason: Reason::InsufficientReadyPods,
        message: message.into(),
    };
    conditions::set(&mut next.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    next
}

#[test]
fn lets_counts_and_texts_wait_but_not_flips_and_latches() {
    let before = with_condition(Status::False, "1 of 2");
    let mut counts = with_condition(Status::False, "2 of 2");
    counts.ready_replicas = 2;
    assert!(!is_urgent(&before, &counts));
    assert!(is_urgent(&before, &with_condition(Status::True, "1 of 2")));
    let latched = PodCliqueStatus {
        was_available: true,
        ..before.clone()
    };
    assert!(is_urgent(&before, &latched));
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
            let verdict = Verdict {
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
    assert!(is_urgent(&pending, &sick), "what went wrong meanwhile");
}

#[test]
fn the_first_pod_that_runs_may_be_told_late_and_how_a_workload_ends_may_not() {
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
fn keeps_the_time_of_an_error_that_was_there_before() {
    let error = |description: &str, second| LastError {
        code: "ERR_CREATE_POD".into(),
        description: description.into(),
        observed_at: Time(Timestamp::from_second(second).unwrap()),
    };
    let mut next = vec![error("quota", 9), error("other", 9)];
    keep_times(&[error("quota", 1)], &mut next);
    let seconds: Vec<i64> = next.iter().map(|e| e.observed_at.0.as_second()).collect();
    assert_eq!(seconds, [1, 9]);
}

#[test]
fn says_as_a_condition_that_a_name_is_taken_and_no_longer_once_it_is_free() {
    let mut status = PodCliqueStatus {
        last_errors: vec![LastError {
            code: codes::NAME_CONFLICT.into(),
            description: "create Service x: taken".into(),
            observed_at: Time(Timestamp::UNIX_EPOCH),
        }],
        ..PodCliqueStatus::default()
    };
    set_name_conflict(&mut status, Some(1), Timestamp::UNIX_EPOCH);
    let conflict = conditions::find(&status.conditions, ConditionType::NameConflict).unwrap();
    assert_eq!(conflict.message, "create Service x: taken");
    status.last_errors.clear();
    set_name_conflict(&mut status, Some(1), Timestamp::UNIX_EPOCH);
    assert_eq!(status.conditions, []);
}

#[test]
fn a_raised_fence_is_urgent_and_counted_once() {
    let cause = || Cause {
        reason: "MinAvailableBreached".into(),
        message: String::new(),
    };
    let status = |replica_attempts| PodCliqueSetStatus {
        replica_attempts,
        ..PodCliqueSetStatus::default()
    };
    let before = status(raise(&[], [(0, cause())], Timestamp::UNIX_EPOCH));
    let after = status(raise(
        &before.replica_attempts,
        [(1, cause())],
        Timestamp::UNIX_EPOCH,
    ));
    assert!(is_urgent(&before, &after));
    assert_eq!(raised(&before, &after), ["MinAvailableBreached"]);
    assert_eq!(raised(&after, &after), Vec::<String>::new());
}

#[test]
fn what_has_to_be_mended_is_told_at_once_and_what_passes_by_itself_when_there_is_time() {
    let ready = |reason: Reason| {
        let mut status = PodCliqueStatus::default();
        let is_ready = matches!(reason, Reason::AllReady | Reason::MinimumReady);
        let verdict = readiness::verdict(is_ready, reason, String::new());
        conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
        status
    };
    let creating = ready(Reason::PodsBeingCreated);
    let steps = [
        Reason::PodsStarting,
        Reason::GangIncomplete,
        Reason::AllReady,
    ];
    for step in steps {
        assert!(!is_urgent(&creating, &ready(step)), "{step}");
    }
    for trouble in [Reason::QuotaExceeded, Reason::CrashLoop] {
        assert!(is_urgent(&creating, &ready(trouble)), "{trouble}");
    }
    let (up, less) = (ready(Reason::AllReady), ready(Reason::MinimumReady));
    assert!(is_urgent(&up, &creating), "not ready any more");
    assert!(!is_urgent(&up, &less) && !is_urgent(&less, &up));
}
