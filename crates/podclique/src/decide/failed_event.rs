//! Event `PodCliqueFailed` of a training job (docs/semantics.md §13.2). It is posted for as long as
//! the breach is stored, also by a terminating PodClique: without a delay the replica is restarted
//! as soon as the breach is known. It is not posted any more once the end of the job is stored.

use domain::health::failure;
use domain::plan::Event;

use crate::observe::Snapshot;

pub(super) fn find_event(snapshot: &Snapshot) -> Option<Event> {
    let set = snapshot.set.as_ref().filter(|_| snapshot.is_training())?;
    let is_posted = set.has_ended;
    let about = snapshot.set_target()?;
    failure::podclique_failed_event(&snapshot.podclique, about).filter(|_| !is_posted)
}
