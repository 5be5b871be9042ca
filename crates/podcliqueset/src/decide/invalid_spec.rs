//! A set that may not be acted on: nothing is created or corrected for it, and its status reports
//! why. Existing objects stay as they are. A single change that is not possible is reported
//! likewise, and everything else is applied.

use admission::FieldError;
use api::conditions::Reason;
use api::{LastError, PodCliqueSetStatus, codes};
use domain::plan::{Event, Plan};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::gangs;
use crate::observe::Snapshot;
use crate::status;

/// The number of problems that are reported; the others follow once these are fixed.
const MAX_LISTED: usize = 5;

/// The plan for a set that is over its limits: it is reported, and started gangs follow their pods.
/// Nothing is enumerated, created or deleted.
pub(super) fn of_too_much(snapshot: &Snapshot, now: Timestamp) -> Option<Plan<PodCliqueSetStatus>> {
    let errors = snapshot.over_limits();
    if errors.is_empty() {
        return None;
    }
    let mut status = status::over_limits(snapshot, &errors, now);
    let problems: Vec<Problem> = errors
        .iter()
        .take(MAX_LISTED)
        .map(|e| Problem(codes::LIMIT_EXCEEDED, Reason::LimitExceeded, e.to_string()))
        .collect();
    status.last_errors.extend(errors_of(&problems, now));
    let mut plan = Plan {
        status: Some(status),
        events: events_of(problems),
        ..Plan::default()
    };
    plan.wave(gangs::plan_started_gangs(
        snapshot,
        &snapshot.roster_of_found(),
    ));
    Some(plan)
}

/// An error that the user has to fix: code, reason of the event, and message.
pub(super) struct Problem(&'static str, Reason, String);

/// The problems that keep the set, or a part of it, from being acted on.
pub(super) fn problems(snapshot: &Snapshot) -> Vec<Problem> {
    let validated = &snapshot.validated;
    let invalid = |e: &FieldError| Problem(codes::INVALID_SPEC, Reason::InvalidSpec, e.to_string());
    validated
        .errors
        .iter()
        .map(invalid)
        .chain(validated.not_acted_on.iter().map(invalid))
        .take(MAX_LISTED)
        .collect()
}

/// For `lastErrors`.
pub(super) fn errors_of(problems: &[Problem], now: Timestamp) -> Vec<LastError> {
    let error = |Problem(code, _, message): &Problem| LastError {
        code: (*code).to_owned(),
        description: message.clone(),
        observed_at: Time(now),
    };
    problems.iter().map(error).collect()
}

/// As events.
pub(super) fn events_of(problems: Vec<Problem>) -> Vec<Event> {
    let event = |Problem(_, reason, message)| Event::warning(reason, message);
    problems.into_iter().map(event).collect()
}
