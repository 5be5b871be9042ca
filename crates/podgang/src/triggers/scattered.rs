//! A base gang is judged by the pods of its scaled gangs too: all of them have to share the domain of their
//! replica, and of their scaling group (docs/topology.md). Gangs without constraints ignore them.

use api::PodGang;
use domain::placement::requires_domain;
use domain::{Key, Pod};
use engine::{Caches, Change};

/// The base gang of a pod that was placed, or holds its node no longer.
pub(super) fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let had_node = change.versions().any(|pod| pod.spec.node_name.is_some());
    let moved = change.newest().filter(|_| !change.keeps(super::place_of));
    let Some(pod) = moved.filter(|_| had_node) else {
        return Vec::new();
    };
    let base = super::base_of(&pod.metadata).filter(|key| {
        let gang = caches.of::<PodGang>().get(key);
        gang.is_some_and(|gang| requires_domain(&gang))
    });
    base.into_iter().collect()
}
