//! The last holders of pod slots.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use domain::Pod;
use domain::object::ownership;

/// The last holder of a pod slot that is gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastHolder {
    /// Its name goes into the successor's name, so a terminating pod never blocks the name.
    pub name: String,
    /// How many holders of the slot ended soon after their start, one after the other.
    pub failure_count: u32,
    /// Its last version, if it failed or was taken away. The deletion may follow the announcement
    /// so soon that no decision sees any state in between.
    pub lost: Option<Arc<Pod>>,
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
            name: pod.name().to_owned(),
            failure_count: pod.failure_count(),
            lost: pod.to_lost().map(Arc::new),
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

    /// The last holders of slots that none of these pods fills, as far as they were lost.
    pub fn lost_beside(&self, podclique_uid: &str, pods: &[Arc<Pod>]) -> Vec<Arc<Pod>> {
        let lost = self.lost_of(podclique_uid);
        // Most PodCliques have lost none, and each decision comes here.
        if lost.is_empty() {
            return Vec::new();
        }
        let held: BTreeSet<i32> = pods.iter().filter_map(|p| p.index()).collect();
        let mut lost: Vec<Arc<Pod>> = lost
            .into_iter()
            .filter(|(index, _)| !held.contains(index))
            .map(|(_, pod)| pod)
            .collect();
        domain::object::pod::sort_pods(&mut lost);
        lost
    }

    /// The last holders of slots that were lost, with their indexes.
    fn lost_of(&self, podclique_uid: &str) -> Vec<(i32, Arc<Pod>)> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let slots = all.get(podclique_uid).into_iter().flatten();
        slots
            .filter_map(|(index, holder)| Some((*index, holder.lost.clone()?)))
            .collect()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(podclique_uid);
    }
}
