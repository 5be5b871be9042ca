//! Gangs that wait for a topology domain. They tell what room the nodes have, and where other pods of
//! their replica run, so both wake them; all other gangs ignore both.

use std::sync::Arc;

use api::PodGang;
use domain::health::readiness;
use domain::placement::requires_domain;
use domain::{Key, Node, Pod};
use engine::cache::set_of;
use engine::triggers::find;
use engine::{Caches, Change};

/// By a node that came, went, or changed its labels or its amounts.
pub(super) fn from_node(change: &Change<Node>, caches: &Caches) -> Vec<Key> {
    let read = |node: &Node| {
        let labels = node.metadata.labels.clone();
        (labels, node.status.allocatable.clone())
    };
    if change.keeps(read) {
        return Vec::new();
    }
    find_waiting(&caches.of::<PodGang>().all())
}

/// By a pod of their set that was placed, or holds its node no longer.
pub(super) fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let read = |pod: &Pod| {
        let node = pod.spec.node_name.clone();
        (node, pod.is_terminating(), pod.is_completed())
    };
    let Some(pod) = change.newest().filter(|_| !change.keeps(read)) else {
        return Vec::new();
    };
    // Of most sets no gang can wait for a domain.
    let own = find::gang(&pod.metadata).and_then(|key| caches.of::<PodGang>().get(&key));
    let is_packed = own.is_some_and(|gang| requires_domain(&gang));
    let set = set_of(&pod.metadata).filter(|_| is_packed);
    set.map_or_else(Vec::new, |set| {
        find_waiting(&caches.of::<PodGang>().part_of(&set))
    })
}

fn find_waiting(gangs: &[Arc<PodGang>]) -> Vec<Key> {
    gangs
        .iter()
        .filter(|gang| readiness::no_domain_of(gang).is_some())
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}
