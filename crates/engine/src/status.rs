//! Completes a status with the parts that are the same for all kinds.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::status::Status;
use api::{LastError, codes};
use jiff::Timestamp;
use kube::Resource;
use kube::core::object::HasStatus;

/// The status to write: `next` with condition `NameConflict` and the times of errors that the
/// stored status lists too. `None` if that is the stored status.
pub fn complete<K>(object: &K, mut next: K::Status, now: Timestamp) -> Option<K::Status>
where
    K: Resource + HasStatus<Status: Status>,
{
    set_name_conflict(&mut next, object.meta().generation, now);
    let stored = object.status();
    if let (Some(stored), Some(errors)) = (stored, next.last_errors_mut()) {
        keep_times(stored.last_errors(), errors);
    }
    (stored != Some(&next)).then_some(next)
}

/// Condition `NameConflict` repeats the taken names of `lastErrors`, and goes with them.
fn set_name_conflict<S: Status>(next: &mut S, generation: Option<i64>, now: Timestamp) {
    let taken: Vec<String> = next
        .last_errors()
        .iter()
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

/// Errors keep the time at which they were first seen with this content.
fn keep_times(old: &[LastError], new: &mut [LastError]) {
    for error in new {
        let before = old
            .iter()
            .find(|e| e.code == error.code && e.description == error.description);
        if let Some(before) = before {
            error.observed_at = before.observed_at.clone();
        }
    }
}
