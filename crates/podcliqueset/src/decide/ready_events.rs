//! Events about condition `Ready` of the set: when its cause changes, while a user has to act, and
//! when everything runs.

use api::conditions::{self, ConditionType, Reason};
use api::{PodCliqueSetStatus, events};
use domain::plan::Event;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::observe::Snapshot;

/// A cause that lasts this long is reported again, as the API server forgets events after an hour.
const STANDING_AFTER: SignedDuration = SignedDuration::from_mins(30);

/// The event for the change of `Ready` to that of `next`, or for a cause that lasts.
pub(super) fn find_event(
    snapshot: &Snapshot,
    next: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<Event> {
    let before = snapshot.stored.status.as_ref().and_then(find_ready);
    let next = find_ready(next)?;
    let was = before.map_or("", |c| c.reason.as_str());
    if was == next.reason {
        return find_standing(next, now);
    }
    // The name follows from the stored reason and time, so it is the same until the change is
    // stored. If two causes alternate there is one event for each direction while the set is not
    // ready.
    let since = before.map(|c| c.last_transition_time.0);
    let identity = format!("{was}/{}", since.map_or(String::new(), |t| t.to_string()));
    build_event(was, next).map(|note| note.once(identity))
}

/// Reports that the set has not been ready for long, and still for this cause. Every plan has it:
/// it is one event for each cause, which continues as a series (docs/semantics.md §13.4).
fn find_standing(next: &Condition, now: Timestamp) -> Option<Event> {
    let since = next.last_transition_time.0;
    if next.status == "True" || now.duration_since(since) < STANDING_AFTER {
        return None;
    }
    let note = build_event(&next.reason, next)?;
    Some(note.once(format!("standing/{since}")))
}

fn find_ready(status: &PodCliqueSetStatus) -> Option<&Condition> {
    conditions::find(&status.conditions, ConditionType::Ready)
}

fn build_event(was: &str, next: &Condition) -> Option<Event> {
    let needs_event = |reason: &str| reason.parse().is_ok_and(needs_event);
    if next.status == "True" {
        // From any cause: after a fix the pods start first, so the previous reason differs. The
        // success of a job has an event of its own.
        let runs = next.reason == <&str>::from(Reason::AllReady) && !was.is_empty();
        return runs.then(|| Event::normal(events::READY, next.message.clone()));
    }
    let reason: Reason = next.reason.parse().ok()?;
    needs_event(&next.reason).then(|| Event::warning(reason, next.message.clone()))
}

/// Causes that a user has to fix, except a refused spec, a taken name and a failed job, which have
/// events of their own.
fn needs_event(reason: Reason) -> bool {
    let has_own_event = matches!(
        reason,
        Reason::InvalidSpec
            | Reason::LimitExceeded
            | Reason::NameTaken
            | Reason::MaxRestartsExceeded
            | Reason::MaxRuntimeExceeded
    );
    reason.is_blocking() && !has_own_event
}
