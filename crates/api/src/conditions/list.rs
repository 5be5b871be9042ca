//! A list of conditions, as a status has it.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use super::{ConditionType, ConditionUpdate, Reason};

/// Puts the result into the list. `lastTransitionTime` changes only when the status changes.
pub fn set(
    conditions: &mut Vec<Condition>,
    verdict: ConditionUpdate,
    generation: Option<i64>,
    now: Timestamp,
) {
    let type_: &'static str = verdict.type_.into();
    let before = conditions.iter().find(|c| c.type_ == type_);
    let since = match before {
        Some(c) if c.status == verdict.status.to_string() => c.last_transition_time.clone(),
        _ => Time(now),
    };
    let condition = Condition {
        type_: type_.into(),
        status: verdict.status.to_string(),
        reason: verdict.reason.to_string(),
        message: verdict.message,
        observed_generation: generation,
        last_transition_time: since,
    };
    match conditions.iter_mut().find(|c| c.type_ == type_) {
        Some(slot) => *slot = condition,
        None => conditions.push(condition),
    }
}

/// Puts the result into the list, or removes the condition from it without a result.
pub fn set_or_remove(
    conditions: &mut Vec<Condition>,
    type_: ConditionType,
    verdict: Option<ConditionUpdate>,
    generation: Option<i64>,
    now: Timestamp,
) {
    match verdict {
        Some(verdict) => set(conditions, verdict, generation, now),
        None => remove(conditions, type_),
    }
}

/// Removes the condition from the list.
pub fn remove(conditions: &mut Vec<Condition>, type_: ConditionType) {
    let type_: &'static str = type_.into();
    conditions.retain(|c| c.type_ != type_);
}

/// The condition of that type, if it is in the list.
pub fn find(conditions: &[Condition], type_: ConditionType) -> Option<&Condition> {
    let type_: &'static str = type_.into();
    conditions.iter().find(|c| c.type_ == type_)
}

/// Whether the condition has a cause that a person has to fix.
pub fn has_blocking_reason(condition: &Condition) -> bool {
    condition.reason.parse().is_ok_and(Reason::is_blocking)
}

/// Whether the condition is in the list with status True.
pub fn is_true(conditions: &[Condition], type_: ConditionType) -> bool {
    find(conditions, type_).is_some_and(|c| c.status == "True")
}
