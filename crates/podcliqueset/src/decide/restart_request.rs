//! The restart of one replica that a user asks for (decision 182).

use domain::health::restart_request::{self, RestartRequest};
use domain::roster::Roster;

use crate::observe::Snapshot;

/// The request that the stored status has not answered. A set that may not be acted on would not create
/// the replica again; a replica with an object to adopt waits, as with a breach (decision 71).
pub(super) fn find(snapshot: &Snapshot, roster: &Roster<'_>) -> Option<RestartRequest> {
    let set = &snapshot.validated.set;
    let request = restart_request::find_waiting(&snapshot.stored, set)?;
    let may_act = snapshot.validated.may_act();
    let is_adopted = !roster.replicas_with_orphans().contains(&request.replica);
    (may_act && is_adopted).then_some(request)
}
