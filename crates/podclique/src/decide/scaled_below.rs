//! A clique that is scaled to 0, or below its minimum, or suspended, stores that before its first pod is
//! deleted (docs/semantics.md §2.2, decisions 81, 109 and 173): pods that are scaled up again later
//! count as starting, also if the operator ended in between and never observed the clique with few pods.

use api::PodCliqueStatus;

use crate::observe::Snapshot;

/// Whether the status that records this is stored already. Until then no pod is scaled in or suspended.
pub(super) fn is_noted(snapshot: &Snapshot, next: &PodCliqueStatus) -> bool {
    let stored = snapshot.podclique.status.as_ref();
    stored.map(memory).unwrap_or_default() == memory(next)
}

fn memory(status: &PodCliqueStatus) -> (Option<bool>, Option<i32>) {
    (status.was_idle, status.scaled_below_to)
}
