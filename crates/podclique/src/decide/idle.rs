//! A clique that is scaled to 0 stores that before its first pod is deleted (docs/semantics.md §2.2,
//! decision 81): what is woken later has to start like new, also if the operator ended in between
//! and nobody saw the clique without pods.

use api::PodCliqueStatus;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// The status that says so, unless that is stored already. Nothing else is done in that decision.
pub(super) fn note_idle(snapshot: &Snapshot, now: Timestamp) -> Option<PodCliqueStatus> {
    let stored = snapshot.podclique.status.as_ref();
    let was_idle = |s: &PodCliqueStatus| s.was_idle == Some(true);
    if snapshot.podclique.spec.replicas > 0 || stored.is_some_and(was_idle) {
        return None;
    }
    Some(status::next_status(snapshot, now)).filter(was_idle)
}
