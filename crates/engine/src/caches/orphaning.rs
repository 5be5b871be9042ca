//! Sets that were deleted with `--cascade=orphan`.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use domain::object::{orphaning, ownership};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Caches;

/// Uids of sets whose children stay according to some version: the version with which the set is
/// decided may not contain this any more.
#[derive(Debug, Default)]
pub(crate) struct Orphaning(RwLock<HashSet<String>>);

impl Orphaning {
    pub(crate) fn note(&self, shown: &ObjectMeta) {
        if orphaning::is_asked(shown) {
            self.write().insert(ownership::uid(shown).to_owned());
        }
    }

    pub(crate) fn forget(&self, uid: &str) {
        self.write().remove(uid);
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
    /// Whether the set is being deleted and its children stay.
    pub fn is_orphaning(&self, set: &ObjectMeta) -> bool {
        let was_seen = || self.orphaning.holds(ownership::uid(set));
        orphaning::is_asked(set) || ownership::is_terminating(set) && was_seen()
    }
}
