//! The last computed placement of the pods of gangs.

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

    /// The placement was computed.
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
