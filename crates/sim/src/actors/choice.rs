//! Random choices.

use serde_json::Value;

use crate::Rng;
use crate::resource::{Id, Resource};
use crate::store::Store;

/// A random pod that fulfils the claim.
pub(super) fn pick_pod(store: &Store, rng: &mut Rng, holds: impl Fn(&Value) -> bool) -> Option<Id> {
    let pods: Vec<Id> = store
        .all(Resource::Pod)
        .filter(|(_, p)| holds(p))
        .map(|(id, _)| id.clone())
        .collect();
    rng.pick(&pods).cloned()
}
