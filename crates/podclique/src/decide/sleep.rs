//! A clique that is scaled to 0 stores that before its first pod is deleted (docs/semantics.md §2.2,
//! decision 81): what is woken later has to start like new, also if the operator ended in between
//! and nobody saw the clique without pods.

use api::PodCliqueStatus;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// The status that says so, unless that is stored already. Nothing else is done in that decision.
pub(super) fn note(snapshot: &Snapshot, now: Timestamp) -> Option<PodCliqueStatus> {
    let stored = snapshot.podclique.status.as_ref();
    let was_asleep = |s: &PodCliqueStatus| s.was_asleep == Some(true);
    if snapshot.podclique.spec.replicas > 0 || stored.is_some_and(was_asleep) {
        return None;
    }
    Some(status::status(snapshot, now)).filter(was_asleep)
}
