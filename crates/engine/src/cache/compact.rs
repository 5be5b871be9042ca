//! What is kept takes no more memory than it has to: a list that was decoded has room for four
//! entries from the first on, and most have one.

use std::any::Any;

use api::{PodClique, PodGang};
use domain::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

/// Gives back what lists of the object have room for beyond their entries.
pub(super) fn compact<K: Resource + 'static>(object: &mut K) {
    compact_metadata(object.meta_mut());
    let object = object as &mut dyn Any;
    if let Some(pod) = object.downcast_mut::<Pod>() {
        compact_pod(pod);
    } else if let Some(podclique) = object.downcast_mut::<PodClique>() {
        if let Some(status) = &mut podclique.status {
            status.conditions.shrink_to_fit();
        }
    } else if let Some(gang) = object.downcast_mut::<PodGang>() {
        compact_gang(gang);
    }
}

fn compact_metadata(meta: &mut ObjectMeta) {
    if let Some(owners) = &mut meta.owner_references {
        owners.shrink_to_fit();
    }
    if let Some(finalizers) = &mut meta.finalizers {
        finalizers.shrink_to_fit();
    }
}

fn compact_pod(pod: &mut Pod) {
    pod.spec.scheduling_gates.shrink_to_fit();
    let status = &mut pod.status;
    status.conditions.shrink_to_fit();
    status.container_statuses.shrink_to_fit();
    status.init_container_statuses.shrink_to_fit();
}

fn compact_gang(gang: &mut PodGang) {
    for group in &mut gang.spec.pod_groups {
        group.pod_references.shrink_to_fit();
    }
    gang.spec.pod_groups.shrink_to_fit();
    if let Some(status) = &mut gang.status {
        status.conditions.shrink_to_fit();
    }
}
