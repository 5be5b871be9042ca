//! PodCliques by the attempt that they are of. Whoever may create something asks whether one of an
//! earlier attempt is left in its replica; searched for among all PodCliques of the set by each of
//! them, that would grow with their square.

//!
//! Where they are says their owner's name and their own: labels can be edited.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use api::{PodCliqueSet, names};
use domain::Key;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// What holds PodCliques of one PodCliqueSet replica.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The set itself, in that replica.
    Set(Key, i32),
    /// A scaling group, all of which is in one replica.
    Group(Key),
}

impl Holder {
    /// All of a replica: what the set holds there, and its scaling groups.
    pub fn all_of(set: &PodCliqueSet, replica: i32) -> impl Iterator<Item = Self> {
        let key = Key::of(&set.metadata);
        let groups = set.spec.template.scaling_groups.iter();
        let groups: Vec<Self> = groups
            .map(|g| names::scaling_group(&key.name, replica, &g.name))
            .map(|name| Self::Group(Key::new(&key.namespace, name)))
            .collect();
        std::iter::once(Self::Set(key, replica)).chain(groups)
    }

    fn of(meta: &ObjectMeta) -> Option<Self> {
        let owner = ownership::controller(meta)?;
        let key = Key::new(meta.namespace.as_deref().unwrap_or_default(), &owner.name);
        match owner.kind.as_str() {
            "PodCliqueSet" => {
                let replica = ownership::replica_in(&owner.name, meta)?;
                Some(Self::Set(key, replica))
            }
            "PodCliqueScalingGroup" => Some(Self::Group(key)),
            _ => None,
        }
    }
}

/// Keys by holder and attempt.
#[derive(Debug, Default)]
pub(super) struct Attempts(HashMap<Holder, BTreeMap<i32, BTreeSet<Key>>>);

impl Attempts {
    /// Those of earlier attempts than this one.
    pub(super) fn before(&self, holder: &Holder, attempt: i32) -> impl Iterator<Item = &Key> {
        let all = self.0.get(holder);
        let earlier = all.into_iter().flat_map(move |all| all.range(..attempt));
        earlier.flat_map(|(_, keys)| keys)
    }

    pub(super) fn insert(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(holder) = Holder::of(meta) {
            let attempts = self.0.entry(holder).or_default();
            let keys = attempts.entry(Attempt::of(meta).set).or_default();
            keys.insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key, meta: &ObjectMeta) {
        let Some(holder) = Holder::of(meta) else {
            return;
        };
        let Some(attempts) = self.0.get_mut(&holder) else {
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
            self.0.remove(&holder);
        }
    }
}
