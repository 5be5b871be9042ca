//! Whether a replica of a set still has PodCliques of an earlier attempt: nothing is created there
//! until they are gone (docs/semantics.md §4.4). Controllers of single PodCliques and groups check
//! this without a roster of the whole set.

use api::{PodCliqueSet, names};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::health::fence::{attempts_of_set, current_attempt};
use crate::object::key::Key;
use crate::object::ownership;

/// An owner of PodCliques of one replica of a set, by names and owner references: labels can be edited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReplicaOwner {
    /// The set itself, for that replica.
    Set(Key, i32),
    /// A scaling group, which is wholly in one replica.
    Group(Key),
}

impl ReplicaOwner {
    /// The owners in one replica: the set, and its scaling groups there.
    pub fn all_of(set: &PodCliqueSet, replica: i32) -> impl Iterator<Item = Self> {
        let key = Key::of(&set.metadata);
        let groups = set.spec.template.scaling_groups.iter();
        let groups: Vec<Self> = groups
            .map(|g| names::scaling_group(&key.name, replica, &g.name))
            .map(|name| Self::Group(Key::new(&key.namespace, name)))
            .collect();
        std::iter::once(Self::Set(key, replica)).chain(groups)
    }

    /// The owner of this PodClique; none if neither a set nor a scaling group controls it.
    pub fn of(podclique: &ObjectMeta) -> Option<Self> {
        let owner = ownership::controller(podclique)?;
        let namespace = podclique.namespace.as_deref().unwrap_or_default();
        let key = Key::new(namespace, &owner.name);
        match owner.kind.as_str() {
            "PodCliqueSet" => {
                let replica = ownership::replica_in(&owner.name, podclique)?;
                Some(Self::Set(key, replica))
            }
            "PodCliqueScalingGroup" => Some(Self::Group(key)),
            _ => None,
        }
    }
}

/// Whether a PodClique of an earlier attempt than the current one is left in this replica of the
/// set. `has_before` returns whether an owner has a PodClique of a lower attempt; it is not called
/// for a replica that was never terminated.
pub fn has_previous(
    set: &PodCliqueSet,
    replica: i32,
    has_before: impl Fn(&ReplicaOwner, i32) -> bool,
) -> bool {
    let current = current_attempt(attempts_of_set(set), replica);
    let mut owners = ReplicaOwner::all_of(set, replica);
    current > 0 && owners.any(|owner| has_before(&owner, current))
}
