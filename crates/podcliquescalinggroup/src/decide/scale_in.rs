//! A group that is scaled in stores which replicas go before their PodCliques are deleted
//! (docs/semantics.md §2.4, decision 82): scaled out again before these are gone, it is not breached
//! by what it deleted itself.

use api::PodCliqueScalingGroupStatus;
use api::limits::MAX_REPLICAS;
use domain::health::availability;
use jiff::Timestamp;

use super::own::staying_podcliques;
use crate::observe::Snapshot;
use crate::status;

/// The status that says so, unless that is stored already. Nothing else is done in that decision. What
/// is beyond all limits was not made here, and no status can name it.
pub(super) fn note_scaled_in(
    snapshot: &Snapshot,
    now: Timestamp,
) -> Option<PodCliqueScalingGroupStatus> {
    let stored = availability::scaled_in_replicas(&snapshot.group);
    let replicas = snapshot.group.spec.replicas;
    let mut staying = staying_podcliques(snapshot).filter_map(|c| snapshot.replica_of(c));
    let is_unnoted = |j: i32| j >= replicas && j < MAX_REPLICAS && !stored.contains(&j);
    let is_due = staying.any(is_unnoted);
    is_due.then(|| status::next_status(snapshot, now))
}
