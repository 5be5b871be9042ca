//! The last results of what is computed about gangs from all nodes of the cluster.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The last result for each gang, by uid of the PodGang. All nodes of the cluster go into it, so it
/// is computed again only when its input changed.
#[derive(Debug)]
pub struct PerGang<T>(RwLock<HashMap<String, Computed<T>>>);

#[derive(Debug)]
struct Computed<T> {
    /// The fingerprint of its input.
    fingerprint: u64,
    result: T,
}

impl<T> Default for PerGang<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Clone> PerGang<T> {
    /// The result of a gang, if it was computed from an input with this fingerprint.
    pub fn of(&self, gang_uid: &str, fingerprint: u64) -> Option<T> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(gang_uid).filter(|c| c.fingerprint == fingerprint);
        known.map(|computed| computed.result.clone())
    }

    /// The result was computed.
    pub fn keep(&self, gang_uid: &str, fingerprint: u64, result: &T) {
        let computed = Computed {
            fingerprint,
            result: result.clone(),
        };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(gang_uid.to_owned(), computed);
    }

    /// The gang is gone, or the result is not needed any more.
    pub fn clear(&self, gang_uid: &str) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(gang_uid);
    }
}
