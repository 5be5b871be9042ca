//! Failures of a training job: event `PodCliqueFailed` (docs/semantics.md §13.2), on the set, where
//! the user looks, and which failures of pods the set keeps.

use std::cmp::Reverse;

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodFailure;
use api::{PodClique, events};
use jiff::Timestamp;

use super::availability::StoredBreach;
use crate::Pod;
use crate::object::ownership;
use crate::plan::{Event, Target};

/// Failures of pods that a set keeps.
const MAX_FAILURES: usize = 5;

/// The event of the breach that the PodClique has stored, if it has one. The PodClique posts it at
/// once, and its set when the job is given up; both have the same name, so it is one event.
pub fn podclique_failed_event(podclique: &PodClique, set: Target) -> Option<Event> {
    let status = podclique.status.as_ref()?;
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached)?;
    // A crash loop is one breach and has one event.
    let since = StoredBreach::from(status).since()?;
    let meta = &podclique.metadata;
    let message = format!("PodClique {}: {}", ownership::name(meta), breach.message);
    let identity = format!("{}/{since}", ownership::uid(meta));
    let note = Event::warning(events::PODCLIQUE_FAILED, message);
    Some(note.once(identity).about(set))
}

/// When the pod failed, as the set keeps it.
pub fn failed_at(pod: &Pod) -> Timestamp {
    pod.ended_at().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Leaves what a set keeps of these: the newest first, those of one time by name.
pub fn keep_newest(failures: &mut Vec<PodFailure>) {
    failures.sort_by(|a, b| order(a.time.0, &a.pod).cmp(&order(b.time.0, &b.pod)));
    failures.truncate(MAX_FAILURES);
}

fn order(failed_at: Timestamp, pod: &str) -> (Reverse<Timestamp>, &str) {
    (Reverse(failed_at), pod)
}

/// Whether the set keeps the failure of the pod, or as many as it keeps are newer.
pub fn is_noted(pod: &Pod, kept: &[PodFailure]) -> bool {
    let place = order(failed_at(pod), pod.name());
    let before = kept.iter().filter(|f| order(f.time.0, &f.pod) < place);
    kept.iter().any(|f| f.pod == pod.name()) || before.count() >= MAX_FAILURES
}
