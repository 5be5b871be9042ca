//! A clique that is scaled to 0, or below its minimum, stores that before its first pod is deleted
//! (docs/semantics.md §2.2, decisions 81 and 109): what is scaled up again later has to start like
//! new, also if the operator ended in between and nobody saw the clique with few pods.

use api::PodCliqueStatus;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// The status that says so, unless that is stored already. Nothing else is done in that decision.
pub(super) fn note_scaled_below(snapshot: &Snapshot, now: Timestamp) -> Option<PodCliqueStatus> {
    let spec = &snapshot.podclique.spec;
    let stored = snapshot.podclique.status.as_ref().map(memory);
    let is_below = spec.min_available.is_some_and(|m| spec.replicas < m) || spec.replicas == 0;
    let is_noted =
        |(was_idle, was_scaled_below)| was_idle || (was_scaled_below && spec.replicas > 0);
    if !is_below || stored.is_some_and(is_noted) {
        return None;
    }
    Some(status::next_status(snapshot, now)).filter(|next| is_noted(memory(next)))
}

/// Whether it says that it was idle, and that it was scaled below its minimum.
fn memory(status: &PodCliqueStatus) -> (bool, bool) {
    let was_idle = status.was_idle == Some(true);
    (was_idle, status.was_scaled_below == Some(true))
}
