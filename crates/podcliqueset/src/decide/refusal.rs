//! A set that may not be acted on: nothing is created or corrected for it, and it says why. What
//! exists stays as it is. A change that alone is impossible is told likewise, and the rest goes on.

use admission::FieldError;
use api::{LastError, PodCliqueSetStatus, codes};
use domain::plan::{Note, Plan};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::gangs;
use crate::observe::Snapshot;
use crate::status;

/// So many problems are shown; the rest comes to light once these are mended.
const SHOWN: usize = 5;

/// What is done about a set that is larger than it may be: it is told, and gangs that run follow
/// their pods. Nothing of what it asks for is enumerated, nothing is made, and nothing deleted.
pub(super) fn of_too_much(snapshot: &Snapshot, now: Timestamp) -> Option<Plan<PodCliqueSetStatus>> {
    let errors = snapshot.over_limits();
    if errors.is_empty() {
        return None;
    }
    let mut status = status::over_limits(snapshot, &errors, now);
    let shown = errors.iter().take(SHOWN);
    let problems: Vec<Problem> = shown
        .map(|e| Problem(codes::LIMIT_EXCEEDED, "LimitExceeded", e.to_string()))
        .collect();
    status.last_errors.extend(errors_of(&problems, now));
    let mut plan = Plan {
        status: Some(status),
        notes: events_of(problems),
        ..Plan::default()
    };
    plan.wave(gangs::plan_started_gangs(snapshot));
    Some(plan)
}

/// Something that the user has to change: code, reason of the event, and what is wrong.
pub(super) struct Problem(&'static str, &'static str, String);

/// What keeps the set, or a part of it, from being acted on.
pub(super) fn problems(snapshot: &Snapshot) -> Vec<Problem> {
    let intake = &snapshot.intake;
    let invalid = |e: &FieldError| Problem(codes::INVALID_SPEC, "InvalidSpec", e.to_string());
    let unbuilt = |b: &String| Problem(codes::NOT_IMPLEMENTED, "NotImplemented", b.clone());
    let all = intake.errors.iter().map(invalid);
    let all = all.chain(intake.blocked_by.iter().map(unbuilt));
    let all = all.chain(intake.not_acted_on.iter().map(invalid));
    all.take(SHOWN).collect()
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
pub(super) fn events_of(problems: Vec<Problem>) -> Vec<Note> {
    let event = |Problem(_, reason, message)| Note::warning(reason, message);
    problems.into_iter().map(event).collect()
}
