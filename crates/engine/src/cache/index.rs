//! Which objects belong to whom.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use api::labels;
use domain::{Key, ownership};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Keys by uid of the controlling owner and by PodCliqueSet.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_owner: HashMap<String, BTreeSet<Key>>,
    by_set: HashMap<Key, BTreeSet<Key>>,
    orphans: HashMap<Key, BTreeSet<Key>>,
}

impl Index {
    pub(super) fn owned_by(&self, uid: &str) -> impl Iterator<Item = &Key> {
        self.by_owner.get(uid).into_iter().flatten()
    }

    pub(super) fn part_of(&self, set: &Key) -> impl Iterator<Item = &Key> {
        self.by_set.get(set).into_iter().flatten()
    }

    pub(super) fn orphans_of(&self, set: &Key) -> impl Iterator<Item = &Key> {
        self.orphans.get(set).into_iter().flatten()
    }

    pub(super) fn insert(&mut self, key: &Key, meta: &ObjectMeta) {
        let owner = ownership::controller(meta);
        if let Some(owner) = owner {
            self.by_owner
                .entry(owner.uid.clone())
                .or_default()
                .insert(key.clone());
        }
        if let Some(set) = set_of(meta) {
            if owner.is_none() {
                self.orphans
                    .entry(set.clone())
                    .or_default()
                    .insert(key.clone());
            }
            self.by_set.entry(set).or_default().insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(owner) = ownership::controller(meta) {
            remove_from(&mut self.by_owner, &owner.uid, key);
        }
        if let Some(set) = set_of(meta) {
            remove_from(&mut self.orphans, &set, key);
            remove_from(&mut self.by_set, &set, key);
        }
    }
}

/// The PodCliqueSet that an object is part of: its owner, else what its label says. Labels can be
/// stripped by anybody, and the end of such a child must still wake its set.
pub fn set_of(meta: &ObjectMeta) -> Option<Key> {
    let owner = ownership::controller(meta).filter(|o| o.kind == "PodCliqueSet");
    let label = ownership::label(meta, labels::PART_OF);
    let set = owner.map(|o| o.name.as_str()).or(label)?;
    Some(Key::new(meta.namespace.clone().unwrap_or_default(), set))
}

fn remove_from<I: Hash + Eq>(index: &mut HashMap<I, BTreeSet<Key>>, at: &I, key: &Key) {
    if let Some(keys) = index.get_mut(at) {
        keys.remove(key);
        if keys.is_empty() {
            index.remove(at);
        }
    }
}
