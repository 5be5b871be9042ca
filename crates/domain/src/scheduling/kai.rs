//! The marks of pods for KAI Scheduler.

use api::kai::keys;
use api::{labels, names};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::object::{fnv, ownership};

/// Digits that distinguish namespaces.
const DIGITS: usize = 5;

/// Name of the PodGroup of a gang. The scheduler of v0.17 and before finds PodGroups by name alone,
/// so the namespace goes into it.
pub fn pod_group_name(namespace: &str, gang: &str) -> String {
    let digits = fnv::encode(fnv::hash(namespace.as_bytes()), DIGITS);
    format!("{gang}-{digits}")
}

/// Name of a group's replica in a tree. KAI takes children in alphabetical order, so numbers have
/// all their digits.
pub fn replica_name(group: &str, replica: i32) -> String {
    format!("{group}-{replica:05}")
}

/// Name of a PodClique in a tree.
pub fn leaf_name(podclique: &ObjectMeta) -> String {
    let name = ownership::name(podclique);
    let group = ownership::label(podclique, labels::SCALING_GROUP);
    let place = group.and_then(|g| Some((g, names::parts_of_grouped_clique(g, name)?)));
    place.map_or_else(
        || name.to_owned(),
        |(group, (replica, clique))| grouped_leaf_name(group, replica, clique),
    )
}

/// The same of a clique of a scaling group's replica.
pub fn grouped_leaf_name(group: &str, replica: i32, clique: &str) -> String {
    format!("{}-{clique}", replica_name(group, replica))
}

pub(super) fn mark_pod(gang: &str, podclique: &ObjectMeta, pod: &mut Pod) {
    mark(gang, podclique, ownership::name(podclique).to_owned(), pod);
}

/// All gangs of the replica have the PodGroup of the base gang.
pub(super) fn mark_pod_of_tree(gang: &str, podclique: &ObjectMeta, pod: &mut Pod) {
    let base = ownership::label(podclique, labels::BASE_POD_GANG).unwrap_or(gang);
    mark(base, podclique, leaf_name(podclique), pod);
}

/// Without the mark, its pod-grouper would create a PodGroup of its own.
fn mark(gang: &str, podclique: &ObjectMeta, part: String, pod: &mut Pod) {
    let namespace = podclique.namespace.as_deref().unwrap_or_default();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.insert(keys::SKIP_POD_GROUPER.into(), "true".into());
    annotations.insert(keys::POD_GROUP.into(), pod_group_name(namespace, gang));
    let all = pod.metadata.labels.get_or_insert_default();
    all.insert(labels::KAI_SUBGROUP.into(), part);
}
