//! A group that is scaled in stores the removed replicas before their PodCliques are deleted
//! (docs/semantics.md §2.4, decision 82): if it is scaled out again before these are gone, its own
//! deletions do not count as a breach. Surge replicas are not counted: the update deletes them.

use api::PodCliqueScalingGroupStatus;
use api::limits::MAX_REPLICAS;
use domain::health::availability;
use domain::object::ownership;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// The status with these replicas, unless it is stored already. That decision does nothing else. A
/// replica beyond all limits was not created here, and no status can name it.
pub(super) fn note_scaled_in(
    snapshot: &Snapshot,
    now: Timestamp,
) -> Option<PodCliqueScalingGroupStatus> {
    let stored = availability::scaled_in_replicas(&snapshot.group);
    let staying = snapshot.own_podcliques();
    let mut staying = staying
        .filter(|c| !ownership::is_terminating(&c.metadata))
        .filter_map(|c| snapshot.replica_of(c));
    let is_allowed = snapshot.allowed_indexes();
    let is_unnoted = |j: i32| !is_allowed(j) && j < MAX_REPLICAS && !stored.contains(&j);
    let is_due = staying.any(is_unnoted);
    is_due.then(|| status::next_status(snapshot, now))
}
