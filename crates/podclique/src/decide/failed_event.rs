//! Event `PodCliqueFailed` of a training job (docs/semantics.md §13.2). It is posted for as long as
//! the breach is stored, also by a terminating PodClique: without a delay the replica is restarted
//! as soon as the breach is known. It is not posted any more once the end of the job is stored.

use api::PodCliqueSet;
use domain::Key;
use domain::health::failure;
use domain::plan::{Event, Kind, Target};

use crate::observe::Snapshot;

pub(super) fn find_event(snapshot: &Snapshot) -> Option<Event> {
    let set = snapshot.set.as_ref().filter(|_| snapshot.is_training())?;
    let namespace = snapshot.podclique.metadata.namespace.clone();
    let about = Target {
        kind: Kind::of::<PodCliqueSet>(),
        key: Key::new(namespace.unwrap_or_default(), set.name.clone()),
        uid: set.uid.clone(),
    };
    let is_posted = set.has_ended;
    failure::podclique_failed_event(&snapshot.podclique, about).filter(|_| !is_posted)
}
