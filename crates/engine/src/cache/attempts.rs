//! PodCliques by the attempt that they are of. Whoever may create something asks whether one of an
//! earlier attempt is left in its replica; searched for among all PodCliques of the set by each of
//! them, that would grow with their square.

use std::collections::{BTreeMap, BTreeSet};

use domain::Key;
use domain::health::fence::ReplicaOwner;
use domain::object::attempt::Attempt;
use hashbrown::HashMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Keys by owner and attempt.
#[derive(Debug, Default)]
pub(super) struct Attempts(HashMap<ReplicaOwner, BTreeMap<i32, BTreeSet<Key>>>);

impl Attempts {
    /// Those of earlier attempts than this one.
    pub(super) fn before(&self, owner: &ReplicaOwner, attempt: i32) -> impl Iterator<Item = &Key> {
        let all = self.0.get(owner);
        let earlier = all.into_iter().flat_map(move |all| all.range(..attempt));
        earlier.flat_map(|(_, keys)| keys)
    }

    pub(super) fn insert(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(owner) = ReplicaOwner::of(meta) {
            let attempts = self.0.entry(owner).or_default();
            let keys = attempts.entry(Attempt::of(meta).set).or_default();
            keys.insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key, meta: &ObjectMeta) {
        let Some(owner) = ReplicaOwner::of(meta) else {
            return;
        };
        let Some(attempts) = self.0.get_mut(&owner) else {
            return;
        };
        let attempt = Attempt::of(meta).set;
        if let Some(keys) = attempts.get_mut(&attempt) {
            keys.remove(key);
            if keys.is_empty() {
                attempts.remove(&attempt);
            }
        }
        if attempts.is_empty() {
            self.0.remove(&owner);
        }
    }
}
