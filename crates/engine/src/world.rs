//! Everything that is known of the cluster, as controllers read it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::health::{fence, training};
use domain::object::ownership;
use domain::{Key, Pod};
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::cache::{Cache, Holder, set_of};

/// One cache per kind.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct World {
    pub podcliquesets: Cache<PodCliqueSet>,
    pub scaling_groups: Cache<PodCliqueScalingGroup>,
    pub podcliques: Cache<PodClique>,
    pub podgangs: Cache<PodGang>,
    pub pods: Cache<Pod>,
    pub services: Cache<Service>,
    pub tombstones: Tombstones,
    pub taken_names: TakenNames,
}

impl World {
    /// Whether a PodClique of an earlier attempt than the present one exists in this replica of the
    /// set: nothing is created there until it is gone (design, protocol rule 4, step 4). What
    /// neither the set nor its groups control does not count.
    pub fn has_earlier_attempt(&self, set: &PodCliqueSet, replica: i32) -> bool {
        let present = fence::present(fence::attempts_of_set(set), replica);
        let is_ours = |c: &PodClique| self.is_in_hands_of(set, &c.metadata);
        let is_left = |holder| self.podcliques.any_before(&holder, present, is_ours);
        present > 0 && Holder::all_of(set, replica).any(is_left)
    }

    /// Whether the set controls the object, or one of its scaling groups does. A group that is not
    /// seen any more counts as one of them: what it controlled is on its way out with it.
    pub fn is_in_hands_of(&self, set: &PodCliqueSet, meta: &ObjectMeta) -> bool {
        let set_uid = ownership::uid(&set.metadata);
        if ownership::is_controlled_by(meta, set_uid) {
            return true;
        }
        let group = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
        group.is_some_and(|owner| {
            let seen = self.group_of(meta, owner);
            seen.is_none_or(|g| ownership::is_controlled_by(&g.metadata, set_uid))
        })
    }

    /// The scaling group that controls the object, if it is seen, by this very uid.
    pub fn group_of(
        &self,
        meta: &ObjectMeta,
        owner: &OwnerReference,
    ) -> Option<Arc<PodCliqueScalingGroup>> {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let seen = self.scaling_groups.get(&Key::new(namespace, &owner.name));
        seen.filter(|g| ownership::uid(&g.metadata) == owner.uid)
    }

    /// The PodCliqueSet that an object is part of: its owner or that of its scaling group, else what
    /// its label says, which anybody can edit.
    pub fn set_of_member(&self, meta: &ObjectMeta) -> Option<Key> {
        let group = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
        let group = group.and_then(|owner| self.group_of(meta, owner));
        set_of(group.as_ref().map_or(meta, |g| &g.metadata))
    }

    /// Whether the owner that a reference names is known, by this very uid.
    pub fn knows(&self, owner: &OwnerReference, namespace: &str) -> bool {
        let key = Key::new(namespace, &owner.name);
        let seen = match owner.kind.as_str() {
            "PodCliqueSet" => self.podcliquesets.seen(&key),
            "PodCliqueScalingGroup" => self.scaling_groups.seen(&key),
            "PodClique" => self.podcliques.seen(&key),
            _ => None,
        };
        seen.is_some_and(|(uid, _)| uid == owner.uid)
    }

    /// Whether anything that is known has to do with an object: its owner, or the set that may
    /// adopt it.
    pub fn is_concerned(&self, meta: &ObjectMeta) -> bool {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        match ownership::controller(meta) {
            Some(owner) => self.knows(owner, namespace),
            None => set_of(meta).is_some_and(|set| self.podcliquesets.seen(&set).is_some()),
        }
    }

    /// The name of this pod is taken by somebody else's. Remembered as long as its PodClique is
    /// there.
    pub fn note_taken(&self, pod: &ObjectMeta) {
        let namespace = pod.namespace.as_deref().unwrap_or_default();
        let owner = ownership::controller(pod).filter(|owner| self.knows(owner, namespace));
        if let Some(owner) = owner {
            self.taken_names.insert(&owner.uid, ownership::name(pod));
        }
    }

    /// Whether the set is a job that was given up and waits for its last pod.
    pub fn awaits_last_pod(&self, set: &Key) -> bool {
        let set = self.podcliquesets.get(set);
        let status = set.as_ref().and_then(|s| s.status.as_ref());
        status.is_some_and(|s| training::has_failed(s) && !training::is_terminal(s.phase))
    }
}

/// The last holder of a pod slot that is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstone {
    /// Its uid goes into the successor's name, so a terminating pod never blocks the name.
    pub uid: String,
    /// How many holders of the slot ended soon after their start, one after the other.
    pub quick_ends: u32,
}

/// The last holders of slots, by uid of the PodClique and index.
#[derive(Debug, Default)]
pub struct Tombstones(RwLock<HashMap<String, HashMap<i32, Tombstone>>>);

impl Tombstones {
    /// The pod is gone.
    pub fn bury(&self, pod: &Pod) {
        let (Some(owner), Some(index)) = (ownership::controller(&pod.metadata), pod.index()) else {
            return;
        };
        let stone = Tombstone {
            uid: pod.uid().to_owned(),
            quick_ends: pod.quick_ends(),
        };
        let mut graves = self.0.write().unwrap_or_else(PoisonError::into_inner);
        graves
            .entry(owner.uid.clone())
            .or_default()
            .insert(index, stone);
    }

    /// The last holders of the slots of a PodClique, by index.
    pub fn of(&self, podclique_uid: &str) -> HashMap<i32, Tombstone> {
        let graves = self.0.read().unwrap_or_else(PoisonError::into_inner);
        graves.get(podclique_uid).cloned().unwrap_or_default()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(podclique_uid);
    }
}

/// Names of pods that turned out to be taken by somebody else's, by uid of the PodClique that
/// wanted them.
#[derive(Debug, Default)]
pub struct TakenNames(RwLock<HashMap<String, Arc<HashSet<String>>>>);

impl TakenNames {
    /// The name is taken.
    pub fn insert(&self, podclique_uid: &str, name: &str) {
        let mut all = self.write();
        let names = all.entry(podclique_uid.to_owned()).or_default();
        Arc::make_mut(names).insert(name.to_owned());
    }

    /// Names that the PodClique found taken.
    pub fn of(&self, podclique_uid: &str) -> Arc<HashSet<String>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(podclique_uid).cloned().unwrap_or_default()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.write().remove(podclique_uid);
    }

    /// All of them may be tried again: whoever held them may be gone.
    pub fn forget(&self) {
        self.write().clear();
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<String, Arc<HashSet<String>>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
