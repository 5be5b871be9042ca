//! The templates of accepted generations.

use std::sync::Arc;

use api::PodCliqueSet;
use domain::object::ownership;
use domain::workload::revision::Revisions;
use domain::{Key, Revision};
use engine::Caches;

/// The ControllerRevisions that a set may use.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Those that the set controls.
    pub revisions: Revisions,
    /// Those that bear the set's labels and that nobody controls: an earlier set of the name was
    /// deleted with `--cascade=orphan`.
    pub left: Vec<Arc<Revision>>,
    /// Whether the operator may use ControllerRevisions here.
    pub is_served: bool,
    /// Whether their watch is lost, so that newer ones may be missing here.
    pub is_outdated: bool,
}

impl History {
    pub(super) fn read(set: &PodCliqueSet, key: &Key, caches: &Caches) -> Self {
        // The flag is read before the objects that it qualifies.
        let is_outdated = caches.is_outdated::<Revision>(&key.namespace);
        let found = caches.of::<Revision>();
        let mut left = found.orphans_of(key);
        left.retain(|revision| ownership::is_adoptable(&revision.metadata));
        Self {
            is_served: caches.is_served::<Revision>(&key.namespace),
            revisions: Revisions::of(set, found.owned_by(set)).seen_outdated(is_outdated),
            left,
            is_outdated,
        }
    }
}
