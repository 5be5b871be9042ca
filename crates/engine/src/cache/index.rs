//! Finds objects by their owner.

use std::hash::Hash;

use api::labels;
use domain::Key;
use domain::object::ownership;
use hashbrown::HashMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;

use super::key_set::KeySet;

/// An owner as a reference names it. A client that may write an object may put any uid into its
/// references, also the uid of an owner in another namespace: the garbage collector removes those
/// references, but late, and not at all if it does not know the version.
///
/// Namespace, version, kind and uid in one text: there is one for each object. None of them is
/// empty or contains the separator, except in an invented reference; such a reference names no
/// owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner(Box<str>);

impl Owner {
    /// The owner that references to this object name.
    pub(super) fn from_object<O: Resource<DynamicType = ()>>(object: &O) -> Self {
        let (version, kind) = (O::api_version(&()), O::kind(&()));
        Self::new(
            object.meta(),
            &version,
            &kind,
            ownership::uid(object.meta()),
        )
    }

    fn from_reference(child: &ObjectMeta, reference: &OwnerReference) -> Self {
        Self::new(
            child,
            &reference.api_version,
            &reference.kind,
            &reference.uid,
        )
    }

    fn new(beside: &ObjectMeta, version: &str, kind: &str, uid: &str) -> Self {
        let namespace = beside.namespace.as_deref().unwrap_or_default();
        Self([namespace, version, kind, uid].join("\0").into())
    }
}

/// Keys by controlling owner and by PodCliqueSet.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_owner: HashMap<Owner, KeySet>,
    by_set: HashMap<Key, KeySet>,
    orphans: HashMap<Key, KeySet>,
}

impl Index {
    pub(super) fn owned_by(&self, owner: &Owner) -> impl Iterator<Item = &Key> {
        self.by_owner.get(owner).into_iter().flatten()
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
                .entry(Owner::from_reference(meta, owner))
                .or_default()
                .insert(key);
        }
        if let Some(set) = set_of(meta) {
            if owner.is_none() {
                self.orphans.entry(set.clone()).or_default().insert(key);
            }
            self.by_set.entry(set).or_default().insert(key);
        }
    }

    pub(super) fn remove(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(owner) = ownership::controller(meta) {
            let owner = Owner::from_reference(meta, owner);
            remove_from(&mut self.by_owner, &owner, key);
        }
        if let Some(set) = set_of(meta) {
            remove_from(&mut self.orphans, &set, key);
            remove_from(&mut self.by_set, &set, key);
        }
    }
}

/// The PodCliqueSet that an object is part of, by its owner reference, otherwise by its label. Any
/// client can strip labels, and the end of such a child must still trigger its set.
pub fn set_of(meta: &ObjectMeta) -> Option<Key> {
    let owner = ownership::controller(meta).filter(|o| o.kind == "PodCliqueSet");
    let label = ownership::label(meta, labels::PART_OF);
    let set = owner.map(|o| o.name.as_str()).or(label)?;
    Some(Key::new(meta.namespace.clone().unwrap_or_default(), set))
}

fn remove_from<I: Hash + Eq>(index: &mut HashMap<I, KeySet>, at: &I, key: &Key) {
    if let Some(keys) = index.get_mut(at) {
        keys.remove(key);
        if keys.is_empty() {
            index.remove(at);
        }
    }
}
