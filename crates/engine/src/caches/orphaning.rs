//! Sets, groups and PodCliques that were deleted with `--cascade=orphan`.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use domain::object::{orphaning, ownership};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use kube::Resource;

use super::Caches;
use crate::cache::Change;

/// Uids of owners whose children stay according to some version: the version with which the owner
/// is decided may not contain this any more.
#[derive(Debug, Default)]
pub(crate) struct Orphaning(RwLock<HashSet<String>>);

impl Orphaning {
    pub(crate) fn note(&self, shown: &ObjectMeta) {
        if orphaning::is_asked(shown) {
            self.write().insert(ownership::uid(shown).to_owned());
        }
    }

    /// Forgets an owner that is gone.
    pub(crate) fn follow<K: Resource<DynamicType = ()>>(&self, change: &Change<K>) {
        if let Some(gone) = change.gone() {
            self.write().remove(ownership::uid(gone.meta()));
        }
        if let Some(owner) = &change.new {
            self.note(owner.meta());
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashSet<String>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn holds(&self, uid: &str) -> bool {
        let asked = self.0.read().unwrap_or_else(PoisonError::into_inner);
        asked.contains(uid)
    }
}

impl Caches {
    /// Whether the owner is being deleted and its children stay.
    pub fn is_orphaning(&self, owner: &ObjectMeta) -> bool {
        let was_seen = || self.orphaning.holds(ownership::uid(owner));
        orphaning::is_asked(owner) || ownership::is_terminating(owner) && was_seen()
    }
}
