//! PodCliques by their attempt. Each creation asks whether a PodClique of an earlier attempt is
//! left in its replica; a search among all PodCliques of the set for each of them would grow with
//! their square.

use domain::Key;
use domain::object::attempt::Attempt;
use domain::roster::ReplicaOwner;
use hashbrown::HashMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::key_set::KeySet;

/// Keys by owner and attempt. There are at most two attempts, except for the time of a crash.
#[derive(Debug, Default)]
pub(super) struct Attempts(HashMap<ReplicaOwner, Vec<(i32, KeySet)>>);

impl Attempts {
    /// Keys of earlier attempts than this one.
    pub(super) fn before(&self, owner: &ReplicaOwner, attempt: i32) -> impl Iterator<Item = &Key> {
        self.0
            .get(owner)
            .into_iter()
            .flatten()
            .filter(move |(of, _)| *of < attempt)
            .flat_map(|(_, keys)| keys)
    }

    pub(super) fn insert(&mut self, key: &Key, meta: &ObjectMeta) {
        let Some(owner) = ReplicaOwner::of(meta) else {
            return;
        };
        let attempt = Attempt::of(meta).set;
        let attempts = self.0.entry(owner).or_default();
        if let Some((_, keys)) = attempts.iter_mut().find(|(of, _)| *of == attempt) {
            keys.insert(key);
        } else {
            let mut keys = KeySet::default();
            keys.insert(key);
            attempts.reserve_exact(1);
            attempts.push((attempt, keys));
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
        let found = attempts.iter_mut().find(|(of, _)| *of == attempt);
        if let Some((_, keys)) = found {
            keys.remove(key);
        }
        attempts.retain(|(_, keys)| !keys.is_empty());
        if attempts.is_empty() {
            self.0.remove(&owner);
        }
    }
}
