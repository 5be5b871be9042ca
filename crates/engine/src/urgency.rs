//! Helpers with which reconcilers decide which changes of a status are urgent.

use api::LastError;
use api::codes;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podcliqueset::ReplicaAttempt;
use api::status::Status;
use domain::health::fence;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// Takes over from `next` the conditions that have become True.
pub fn advance(conditions: &mut [Condition], next: &[Condition], types: &[ConditionType]) {
    for type_ in types {
        let reached = conditions::find(next, *type_).filter(|c| c.status == "True");
        let name: &'static str = (*type_).into();
        let before = conditions.iter_mut().find(|c| c.type_ == name);
        if let (Some(before), Some(reached)) = (before, reached) {
            before.clone_from(reached);
        }
    }
}

/// Takes over from `next` its progress: that all is ready now, or the next thing that it waits for.
/// A problem that a user has to correct is written at once, and so is the loss of readiness.
pub fn advance_ready(conditions: &mut [Condition], next: &[Condition]) {
    let Some(after) = conditions::find(next, ConditionType::Ready) else {
        return;
    };
    let name: &'static str = ConditionType::Ready.into();
    let before = conditions.iter_mut().find(|c| c.type_ == name);
    let Some(before) = before else { return };
    let is_lost = before.status == "True" && after.status != "True";
    if !conditions::has_blocking_reason(after) && !is_lost {
        before.clone_from(after);
    }
}

/// Whether it is not ready and not being updated: users wait for the steps of an update.
pub fn is_on_its_way(conditions: &[Condition]) -> bool {
    !conditions::is_true(conditions, ConditionType::Ready) && !is_updating(conditions)
}

/// Whether an update is under way, or stopped.
pub fn is_updating(conditions: &[Condition]) -> bool {
    let update = conditions::find(conditions, ConditionType::UpdateInProgress);
    update.is_some_and(|c| c.status != "False")
}

/// Reasons of the attempts that a new status raises.
pub fn raised<S: Status>(old: &S, new: &S) -> Vec<String> {
    let before = old.replica_attempts();
    let is_raised = |f: &&ReplicaAttempt| f.attempt > fence::current_attempt(before, f.replica);
    let raised = new.replica_attempts().iter().filter(is_raised);
    raised.map(|f| f.reason.clone()).collect()
}

/// Errors keep the time at which they were first seen with this content.
pub fn keep_times(old: &[LastError], new: &mut [LastError]) {
    for error in new {
        let before = old
            .iter()
            .find(|e| e.code == error.code && e.description == error.description);
        if let Some(before) = before {
            error.observed_at = before.observed_at.clone();
        }
    }
}

/// Condition `NameConflict` repeats the taken names of `lastErrors`, and goes with them.
pub fn set_name_conflict<S: Status>(next: &mut S, generation: Option<i64>, now: Timestamp) {
    let errors = next.last_errors_mut().map(|errors| errors.as_slice());
    let taken = errors.unwrap_or_default().iter();
    let taken: Vec<String> = taken
        .filter(|e| e.code == codes::NAME_CONFLICT)
        .map(|e| e.description.clone())
        .collect();
    let type_ = ConditionType::NameConflict;
    let verdict = (!taken.is_empty()).then(|| ConditionUpdate {
        type_,
        status: conditions::Status::True,
        reason: Reason::NameTaken,
        message: taken.join("; "),
    });
    conditions::set_or_remove(next.conditions_mut(), type_, verdict, generation, now);
}

/// The conditions without the parts that may be written late: texts with counts in them.
pub fn without_messages(conditions: &[Condition]) -> Vec<Condition> {
    let strip = |c: &Condition| Condition {
        message: String::new(),
        ..c.clone()
    };
    conditions.iter().map(strip).collect()
}
