//! The restart of one replica that a user asks for (decision 182).

use api::labels;
use domain::health::restart_request::{self, RestartRequest};
use domain::object::ownership;
use domain::roster::Roster;

use crate::observe::Snapshot;

/// The request that the stored status has not answered. A set that may not be acted on would not create
/// the replica again; a replica with an object to adopt waits, as with a breach (decision 71).
pub(super) fn find(snapshot: &Snapshot, roster: &Roster<'_>) -> Option<RestartRequest> {
    let text = ownership::annotation(&snapshot.stored.metadata, labels::RESTART_REPLICA)?;
    let request = restart_request::parse(text).ok()?;
    let set = &snapshot.validated.set;
    request.check(set, snapshot.stored.status.as_ref()).ok()?;
    let may_act = snapshot.validated.may_act();
    let is_adopted = !roster.replicas_with_orphans().contains(&request.replica);
    (may_act && is_adopted).then_some(request)
}
