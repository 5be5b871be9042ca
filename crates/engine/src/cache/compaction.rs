//! Objects in the cache take no more memory than they need: a decoded list has capacity for four
//! entries from the first on, and most lists have one entry; and some annotations are long, and no
//! rule reads them.

use std::any::Any;

use api::{PodClique, PodCliqueSet, PodGang, labels};
use domain::{Pod, scheduling};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

/// Annotations that the operator writes to pods and reads from them begin with this prefix, except
/// marks for a scheduler.
const OWN_ANNOTATIONS: &str = "grove.io/";

/// Frees the spare capacity of the object's lists, and annotations of others.
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
    } else if let Some(set) = object.downcast_mut::<PodCliqueSet>() {
        // This annotation is the whole manifest once more. A set is never written except its
        // status.
        let annotations = set.metadata.annotations.as_mut();
        annotations.and_then(|all| all.remove(labels::LAST_APPLIED));
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

/// If all annotations of a pod are dropped, its empty map stays: a patch must not replace the map
/// by a new one.
fn compact_pod(pod: &mut Pod) {
    if let Some(all) = &mut pod.metadata.annotations {
        let own = std::mem::take(all).into_iter();
        *all = own
            .filter(|(key, _)| key.starts_with(OWN_ANNOTATIONS) || scheduling::is_mark(key))
            .collect();
    }
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
