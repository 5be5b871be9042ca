//! How the pods of gangs are placed, as far as that was computed.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::placement::Placement;

/// The last placement of each gang, by uid of the PodGang. All nodes of the cluster go into it, so
/// it is computed again only when pods moved.
#[derive(Debug, Default)]
pub struct Placements(RwLock<HashMap<String, Computed>>);

#[derive(Debug)]
struct Computed {
    /// The fingerprint of its input.
    fingerprint: u64,
    placement: Placement,
}

impl Placements {
    /// The placement of a gang, if it was computed from an input with this fingerprint.
    pub fn of(&self, gang_uid: &str, fingerprint: u64) -> Option<Placement> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(gang_uid).filter(|c| c.fingerprint == fingerprint);
        known.map(|computed| computed.placement.clone())
    }

    /// It was computed.
    pub fn keep(&self, gang_uid: &str, fingerprint: u64, placement: &Placement) {
        let computed = Computed {
            fingerprint,
            placement: placement.clone(),
        };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(gang_uid.to_owned(), computed);
    }

    /// The gang is gone.
    pub fn clear(&self, gang_uid: &str) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(gang_uid);
    }
}
