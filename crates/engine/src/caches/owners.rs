//! Owners of objects, found through several caches.

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::Key;
use domain::health::{suspension, training};
use domain::object::ownership;
use domain::roster::{self, Owner};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::Caches;
use crate::cache::set_of;

impl Caches {
    /// Whether a PodClique of an earlier attempt than the current one is left in this replica of
    /// the set. PodCliques that neither the set nor its groups control do not count.
    pub fn has_previous(&self, set: &PodCliqueSet, replica: i32) -> bool {
        let podcliques = self.of::<PodClique>();
        let is_ours = |c: &PodClique| self.is_in_hands_of(set, &c.metadata);
        roster::has_previous(set, replica, |owner, attempt| {
            podcliques.any_before(owner, attempt, is_ours)
        })
    }

    /// The controller of a PodClique, as seen from the set of that uid. A group that is not cached any more counts
    /// as one of the set's: the garbage collector deletes its PodCliques with it.
    pub fn owner_of(&self, set: &str, podclique: &ObjectMeta) -> Owner {
        let group = ownership::controller(podclique).filter(|o| o.kind == "PodCliqueScalingGroup");
        let Some(reference) = group else {
            return roster::owner_of(set, None, podclique);
        };
        match self.group_of(podclique, reference) {
            Some(group) => roster::owner_of(set, Some(&group.metadata), podclique),
            None => Owner::Set,
        }
    }

    /// Whether the set controls the PodClique, or one of its scaling groups does.
    pub fn is_in_hands_of(&self, set: &PodCliqueSet, podclique: &ObjectMeta) -> bool {
        self.owner_of(ownership::uid(&set.metadata), podclique) == Owner::Set
    }

    /// The scaling group that controls the object, if the cache has the group with this very uid.
    pub fn group_of(
        &self,
        meta: &ObjectMeta,
        owner: &OwnerReference,
    ) -> Option<Arc<PodCliqueScalingGroup>> {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let seen = self
            .of::<PodCliqueScalingGroup>()
            .get(&Key::new(namespace, &owner.name));
        seen.filter(|g| ownership::uid(&g.metadata) == owner.uid)
    }

    /// The PodCliqueSet that an object is part of: its owner or the owner of its scaling group,
    /// otherwise the one that its label names; any client can edit the label.
    pub fn set_of_member(&self, meta: &ObjectMeta) -> Option<Key> {
        let group = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
        let group = group.and_then(|owner| self.group_of(meta, owner));
        set_of(group.as_ref().map_or(meta, |g| &g.metadata))
    }

    /// Whether the cache has the owner that a reference names, with this very uid.
    pub fn knows(&self, owner: &OwnerReference, namespace: &str) -> bool {
        let key = Key::new(namespace, &owner.name);
        let seen = match owner.kind.as_str() {
            "PodCliqueSet" => self.of::<PodCliqueSet>().seen(&key),
            "PodCliqueScalingGroup" => self.of::<PodCliqueScalingGroup>().seen(&key),
            "PodClique" => self.of::<PodClique>().seen(&key),
            "PodGang" => self.of::<PodGang>().seen(&key),
            _ => None,
        };
        seen.is_some_and(|(uid, _)| uid == owner.uid)
    }

    /// Whether a known object is concerned by this one: its owner, or the set that may adopt it.
    pub fn is_concerned(&self, meta: &ObjectMeta) -> bool {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        match ownership::controller(meta) {
            Some(owner) => self.knows(owner, namespace),
            None => set_of(meta).is_some_and(|set| self.of::<PodCliqueSet>().seen(&set).is_some()),
        }
    }

    /// A pod with another owner has the name of this pod. Remembered as long as its PodClique
    /// exists.
    pub fn note_taken(&self, pod: &ObjectMeta) {
        let namespace = pod.namespace.as_deref().unwrap_or_default();
        let owner = ownership::controller(pod).filter(|owner| self.knows(owner, namespace));
        if let Some(owner) = owner {
            self.taken_names.insert(&owner.uid, ownership::name(pod));
        }
    }

    /// Whether the set waits for the end of its last pod: it is a job that was given up, or it is
    /// suspended.
    pub fn awaits_last_pod(&self, set: &Key) -> bool {
        let set = self.of::<PodCliqueSet>().get(set);
        let status = set.as_ref().and_then(|s| s.status.as_ref());
        status.is_some_and(|s| {
            let is_given_up = training::has_failed(s) && !training::is_terminal(s.phase);
            is_given_up || suspension::is_suspended(Some(s))
        })
    }
}
