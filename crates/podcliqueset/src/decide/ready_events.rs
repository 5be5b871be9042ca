//! Events about condition `Ready` of the set: when its cause changes, and when everything runs.

use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType, Reason};
use domain::plan::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::observe::Snapshot;

/// The event that the change of `Ready` to that of `next` is worth.
pub(super) fn event(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Option<Event> {
    let before = snapshot.stored.status.as_ref().and_then(ready);
    let next = ready(next)?;
    let was = before.map_or("", |c| c.reason.as_str());
    if was == next.reason {
        return None;
    }
    // The name follows from the stored reason and time, so it is the same until the change is
    // stored. If two causes alternate there is one event for each direction while the set is not
    // ready.
    let since = before.map(|c| c.last_transition_time.0);
    let identity = format!("{was}/{}", since.map_or(String::new(), |t| t.to_string()));
    note(was, next).map(|note| note.once(identity))
}

fn ready(status: &PodCliqueSetStatus) -> Option<&Condition> {
    conditions::find(&status.conditions, ConditionType::Ready)
}

fn note(was: &str, next: &Condition) -> Option<Event> {
    let is_told = |reason: &str| reason.parse().is_ok_and(is_told);
    if next.status == "True" {
        // From every cause: after it is fixed the pods start first, so the reason before is
        // another. The success of a job has an event of its own.
        let runs = next.reason == <&str>::from(Reason::AllReady) && !was.is_empty();
        return runs.then(|| Event::normal("Ready", next.message.clone()));
    }
    let reason: Reason = next.reason.parse().ok()?;
    is_told(&next.reason).then(|| Event::warning(reason.into(), next.message.clone()))
}

/// Causes that somebody has to fix, but for a refused spec, a taken name and a failed job, which
/// have events of their own.
fn is_told(reason: Reason) -> bool {
    let is_told_elsewhere = matches!(
        reason,
        Reason::InvalidSpec
            | Reason::LimitExceeded
            | Reason::NotImplemented
            | Reason::NameTaken
            | Reason::MaxRestartsExceeded
            | Reason::MaxRuntimeExceeded
    );
    reason.is_blocking() && !is_told_elsewhere
}
