//! A group that is scaled in stores which replicas go before their PodCliques are deleted
//! (docs/semantics.md §2.4, decision 82): scaled out again before these are gone, it is not breached
//! by what it deleted itself.

use api::PodCliqueScalingGroupStatus;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// The status that says so, unless that is stored already. Nothing else is done in that decision.
pub(super) fn note_scaled_in(
    snapshot: &Snapshot,
    now: Timestamp,
) -> Option<PodCliqueScalingGroupStatus> {
    status::is_unnoted(snapshot).then(|| status::next_status(snapshot, now))
}
