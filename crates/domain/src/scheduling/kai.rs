//! What pods bear for KAI Scheduler.

use api::kai::keys;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::object::{fnv, ownership};

/// Digits that tell namespaces apart.
const DIGITS: usize = 5;

/// Name of the PodGroup of a gang. The scheduler of v0.17 and before finds PodGroups by name alone,
/// so the namespace goes into it.
pub fn pod_group_name(namespace: &str, gang: &str) -> String {
    let digits = fnv::encode(fnv::hash(namespace.as_bytes()), DIGITS);
    format!("{gang}-{digits}")
}

/// Its pod-grouper would make a PodGroup of its own.
pub(super) fn mark_pod(gang: &str, podclique: &ObjectMeta, pod: &mut Pod) {
    let namespace = podclique.namespace.as_deref().unwrap_or_default();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.insert(keys::SKIP_POD_GROUPER.into(), "true".into());
    annotations.insert(keys::POD_GROUP.into(), pod_group_name(namespace, gang));
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(keys::SUB_GROUP.into(), ownership::name(podclique).into());
}
