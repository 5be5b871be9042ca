//! Event `PodCliqueFailed` of a training job (seed 002). Said of what is stored, for as long as it
//! is, and by a PodClique on its way out too: with no delay its replica is torn down as soon as the
//! breach is known. Once the job's end is stored, everything was said.

use api::PodCliqueSet;
use domain::Key;
use domain::health::failure;
use domain::plan::{Kind, Note, Target};

use crate::observe::Snapshot;

pub(super) fn note(snapshot: &Snapshot) -> Option<Note> {
    let set = snapshot.set.as_ref().filter(|_| snapshot.is_training())?;
    let namespace = snapshot.podclique.metadata.namespace.clone();
    let about = Target {
        kind: Kind::of::<PodCliqueSet>(),
        key: Key::new(namespace.unwrap_or_default(), set.name.clone()),
        uid: set.uid.clone(),
    };
    let is_told = set.has_ended;
    failure::podclique_failed(&snapshot.podclique, about).filter(|_| !is_told)
}
