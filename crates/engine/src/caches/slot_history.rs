//! The last holders of pod slots.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::Pod;
use domain::object::ownership;

/// The last holder of a pod slot that is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastHolder {
    /// Its uid goes into the successor's name, so a terminating pod never blocks the name.
    pub uid: String,
    /// How many holders of the slot ended soon after their start, one after the other.
    pub failure_count: u32,
}

/// The last holders of slots, by uid of the PodClique and index.
#[derive(Debug, Default)]
pub struct SlotHistory(RwLock<HashMap<String, HashMap<i32, LastHolder>>>);

impl SlotHistory {
    /// The pod is gone.
    pub fn insert(&self, pod: &Pod) {
        let (Some(owner), Some(index)) = (ownership::controller(&pod.metadata), pod.index()) else {
            return;
        };
        let holder = LastHolder {
            uid: pod.uid().to_owned(),
            failure_count: pod.failure_count(),
        };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(owner.uid.clone())
            .or_default()
            .insert(index, holder);
    }

    /// The last holders of the slots of a PodClique, by index.
    pub fn of(&self, podclique_uid: &str) -> HashMap<i32, LastHolder> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(podclique_uid).cloned().unwrap_or_default()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(podclique_uid);
    }
}
