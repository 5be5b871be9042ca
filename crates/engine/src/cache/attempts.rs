//! PodCliques by the attempt that they are of. Whoever may create something asks whether one of an
//! earlier attempt is left in its replica; searched for among all PodCliques of the set by each of
//! them, that would grow with their square.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::fence::Attempt;
use domain::{Key, ownership};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::index::set_of;

/// A replica of a PodCliqueSet.
type Replica = (Key, i32);

/// Keys by replica and attempt.
#[derive(Debug, Default)]
pub(super) struct Attempts(HashMap<Replica, BTreeMap<i32, BTreeSet<Key>>>);

impl Attempts {
    /// Those of earlier attempts than this one.
    pub(super) fn before(
        &self,
        set: &Key,
        replica: i32,
        attempt: i32,
    ) -> impl Iterator<Item = &Key> {
        let all = self.0.get(&(set.clone(), replica));
        let earlier = all.into_iter().flat_map(move |all| all.range(..attempt));
        earlier.flat_map(|(_, keys)| keys)
    }

    pub(super) fn insert(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(replica) = replica_of(meta) {
            let attempts = self.0.entry(replica).or_default();
            let keys = attempts.entry(Attempt::of(meta).set).or_default();
            keys.insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key, meta: &ObjectMeta) {
        let Some(replica) = replica_of(meta) else {
            return;
        };
        let Some(attempts) = self.0.get_mut(&replica) else {
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
            self.0.remove(&replica);
        }
    }
}

fn replica_of(meta: &ObjectMeta) -> Option<Replica> {
    let set = set_of(meta)?;
    let replica = ownership::replica_in(&set.name, meta)?;
    Some((set, replica))
}
