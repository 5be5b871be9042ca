//! Which changes of a PodClique's status may wait.

use api::PodCliqueStatus;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use domain::health::readiness;
use engine::{Pace, Reconciler};
use jiff::Timestamp;
use podclique::PodCliqueReconciler;

fn pace(old: &PodCliqueStatus, new: &PodCliqueStatus) -> Pace {
    PodCliqueReconciler::pace(Some(old), new)
}

fn is_urgent(old: &PodCliqueStatus, new: &PodCliqueStatus) -> bool {
    pace(old, new) == Pace::Now
}

fn with_condition(status: Status, message: &str) -> PodCliqueStatus {
    let mut next = PodCliqueStatus::default();
    let verdict = ConditionUpdate {
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
fn causes_for_users_are_reported_at_once_and_passing_ones_when_there_is_time() {
    let ready = |reason: Reason| {
        let mut status = PodCliqueStatus::default();
        let is_ready = matches!(reason, Reason::AllReady | Reason::MinimumReady);
        let verdict = readiness::ready_condition(is_ready, reason, String::new());
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

#[test]
fn is_on_its_way_up_until_its_minimum_was_available_and_not_in_an_update() {
    let new = PodCliqueStatus::default;
    let up = || PodCliqueStatus {
        was_available: true,
        ..new()
    };
    let mut updating = new();
    let (type_, reason) = (ConditionType::UpdateInProgress, Reason::UpdateInProgress);
    set(&mut updating, type_, Status::True, reason);
    let mut more = updating.clone();
    more.replicas = 1;
    for (old, next, expected) in [
        (new(), new(), Pace::WhenUp),
        (new(), up(), Pace::Now),
        (up(), up(), Pace::Soon),
        (new(), updating.clone(), Pace::Now),
        (updating.clone(), more, Pace::Soon),
        (updating, new(), Pace::Now),
    ] {
        assert_eq!(pace(&old, &next), expected);
    }
}

fn set(status: &mut PodCliqueStatus, type_: ConditionType, verdict: Status, reason: Reason) {
    let verdict = ConditionUpdate {
        type_,
        status: verdict,
        reason,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
}

/// The status while pods start.
fn start() -> PodCliqueStatus {
    let mut status = PodCliqueStatus {
        replicas: 2,
        current_pod_template_hash: Some("r1".into()),
        ..PodCliqueStatus::default()
    };
    for (type_, reason) in [
        (ConditionType::Ready, Reason::GangIncomplete),
        (ConditionType::MinAvailableBreached, Reason::NeverAvailable),
        (ConditionType::UpdateInProgress, Reason::NoActiveUpdate),
    ] {
        set(&mut status, type_, Status::False, reason);
    }
    status
}

#[test]
fn a_first_status_waits_if_it_only_says_that_pods_are_on_their_way() {
    let mut bound = start();
    let reason = Reason::SufficientScheduledPods;
    set(
        &mut bound,
        ConditionType::PodCliqueScheduled,
        Status::True,
        reason,
    );
    for first in [start(), bound] {
        assert_eq!(PodCliqueReconciler::pace(None, &first), Pace::WhenUp);
    }
}

#[test]
fn a_first_status_with_a_condition_that_matters_waits_for_nothing() {
    use ConditionType::{MinAvailableBreached, Ready, Stalled, UpdateInProgress};
    for (type_, verdict, reason) in [
        (Ready, Status::True, Reason::AllReady),
        (Ready, Status::False, Reason::QuotaExceeded),
        (
            MinAvailableBreached,
            Status::True,
            Reason::InsufficientReadyPods,
        ),
        (UpdateInProgress, Status::Unknown, Reason::UpdateInProgress),
        (Stalled, Status::True, Reason::QuotaExceeded),
    ] {
        let mut reported = start();
        set(&mut reported, type_, verdict, reason);
        assert_eq!(
            PodCliqueReconciler::pace(None, &reported),
            Pace::Now,
            "{type_}"
        );
    }
}

#[test]
fn a_first_status_with_remembered_values_waits_for_nothing() {
    let changes: [fn(&mut PodCliqueStatus); 4] = [
        |status| status.was_available = true,
        |status| status.was_idle = Some(true),
        |status| status.scaled_below_to = Some(1),
        |status| status.completed_indices = Some("0".into()),
    ];
    for change in changes {
        let mut reported = start();
        change(&mut reported);
        assert_eq!(
            PodCliqueReconciler::pace(None, &reported),
            Pace::Now,
            "{reported:?}"
        );
    }
}
