//! Condition `Stalled`: the object is not Ready, or the API server refuses its newest template, and
//! waiting does not help (docs/semantics.md §2.8).
//!
//! Tools that wait for objects (kstatus, with it Flux and Helm; Argo CD through our script) stop
//! waiting at this condition. So it has the same reason and message as `Ready`, is stored with it,
//! and is absent as soon as `Ready` changes (decision 101).

use api::LastError;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::readiness;

/// A refused request may still succeed for this long: quotas are freed, accounts are created.
pub const REFUSED_FOR: SignedDuration = SignedDuration::from_mins(5);

/// Stores `Ready` and, with it, `Stalled`; the arguments are those of [`judge`].
pub fn set_ready<'a>(
    conditions: &mut Vec<Condition>,
    ready: ConditionUpdate,
    errors: &[LastError],
    below: impl IntoIterator<Item = &'a [Condition]>,
    generation: Option<i64>,
    now: Timestamp,
) {
    let stalled = judge(&ready, errors, below, now);
    store(conditions, ready, stalled, generation, now);
}

/// Stores both conditions.
pub fn store(
    conditions: &mut Vec<Condition>,
    ready: ConditionUpdate,
    stalled: Option<ConditionUpdate>,
    generation: Option<i64>,
    now: Timestamp,
) {
    conditions::set(conditions, ready, generation, now);
    let type_ = ConditionType::Stalled;
    conditions::set_or_remove(conditions, type_, stalled, generation, now);
}

/// The verdict. `ready`: the condition about to be stored; `errors`: the stored errors of the
/// object itself; `below`: the stored conditions of each object below it.
pub fn judge<'a>(
    ready: &ConditionUpdate,
    errors: &[LastError],
    below: impl IntoIterator<Item = &'a [Condition]>,
    now: Timestamp,
) -> Option<ConditionUpdate> {
    let reason = ready.reason;
    let lasts = || {
        let since = refused_since(reason, errors);
        let is_own = since.is_some_and(|since| end_of_patience(since) <= now);
        is_own || below.into_iter().any(|below| is_stalled_by(reason, below))
    };
    let is_stuck = reason.is_final() || (reason.is_refusal() && lasts());
    let is_waiting = ready.status == Status::False && is_stuck;
    is_waiting.then(|| ConditionUpdate {
        type_: ConditionType::Stalled,
        status: Status::True,
        ..ready.clone()
    })
}

/// When the operator will treat a refused request of the object itself as permanent, if that is
/// still to come.
pub fn due(errors: &[LastError], now: Timestamp) -> Option<Timestamp> {
    let refused = readiness::refusals(errors).filter(|(reason, _)| reason.is_refusal());
    let ends = refused.map(|(_, e)| end_of_patience(e.observed_at.0));
    ends.filter(|end| *end > now).min()
}

fn refused_since(reason: Reason, errors: &[LastError]) -> Option<Timestamp> {
    let alike = readiness::refusals(errors).filter(|(found, _)| *found == reason);
    alike.map(|(_, e)| e.observed_at.0).min()
}

fn end_of_patience(since: Timestamp) -> Timestamp {
    since.checked_add(REFUSED_FOR).unwrap_or(Timestamp::MAX)
}

fn is_stalled_by(reason: Reason, below: &[Condition]) -> bool {
    let found = conditions::find(below, ConditionType::Stalled);
    found.is_some_and(|c| c.status == "True" && c.reason == reason.to_string())
}
