//! The marks of pods for Volcano.

use api::volcano::keys;
use k8s_openapi::api::core::v1::Pod;

/// The PodGroup has the name of the gang.
pub(super) fn mark_pod(gang: &str, pod: &mut Pod) {
    let annotations = pod.metadata.annotations.get_or_insert_default();
    for key in [keys::GROUP_NAME, keys::VOLCANO_GROUP_NAME] {
        annotations.insert(key.into(), gang.into());
    }
}
