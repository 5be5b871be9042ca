//! A base gang is judged by the pods of its scaled gangs too: all of them have to share the domain of their
//! replica, and of their scaling group (docs/topology.md). Gangs without constraints ignore them.

use std::collections::BTreeSet;

use api::PodGang;
use domain::object::ownership;
use domain::placement::requires_domain;
use domain::{Key, Node, Pod};
use engine::triggers::find;
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

/// The gangs with constraints, and their base gangs, of the pods on a node that gets other labels: its domain
/// may be another one now.
pub(super) fn from_node(change: &Change<Node>, caches: &Caches) -> Vec<Key> {
    let both = change.old.as_ref().zip(change.new.as_ref());
    let Some((_, node)) = both.filter(|(old, new)| old.metadata.labels != new.metadata.labels)
    else {
        return Vec::new();
    };
    let name = ownership::name(&node.metadata);
    let pods = caches.of::<Pod>().all();
    let there = pods
        .iter()
        .filter(|pod| pod.spec.node_name.as_deref() == Some(name));
    let gangs: BTreeSet<Key> = there
        .flat_map(|pod| {
            let own = find::gang(&pod.metadata).into_iter();
            own.chain(super::base_of(&pod.metadata))
        })
        .collect();
    let is_packed = |key: &Key| {
        let gang = caches.of::<PodGang>().get(key);
        gang.is_some_and(|gang| requires_domain(&gang))
    };
    gangs.into_iter().filter(is_packed).collect()
}
