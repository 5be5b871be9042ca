//! Names of pods that other objects hold.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// Names of pods that objects with another owner have, by uid of the PodClique that wanted them.
#[derive(Debug, Default)]
pub struct TakenNames(RwLock<HashMap<String, Arc<HashSet<String>>>>);

impl TakenNames {
    /// The name is taken.
    pub fn insert(&self, podclique_uid: &str, name: &str) {
        let mut all = self.write();
        let names = all.entry(podclique_uid.to_owned()).or_default();
        Arc::make_mut(names).insert(name.to_owned());
    }

    /// Names that the PodClique found taken.
    pub fn of(&self, podclique_uid: &str) -> Arc<HashSet<String>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(podclique_uid).cloned().unwrap_or_default()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.write().remove(podclique_uid);
    }

    /// All of them may be tried again: the objects that held them may be gone.
    pub fn forget(&self) {
        self.write().clear();
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<String, Arc<HashSet<String>>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
