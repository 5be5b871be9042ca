//! The queue whose quota a set uses.

use api::labels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Backend;
use crate::object::ownership;

/// The queue that a set, or its PodGang, names for the scheduler of this backend: a label, else an
/// annotation, `kai.scheduler/queue`; annotation `scheduling.grove.io/volcano-queue`.
pub fn queue_of(backend: Backend, meta: &ObjectMeta) -> Option<&str> {
    match backend {
        Backend::KaiScheduler | Backend::KaiTree => kai_queue(meta),
        // It knows the label only.
        Backend::KaiPodGrouper => ownership::label(meta, labels::KAI_QUEUE),
        Backend::Volcano => volcano_queue(meta),
        Backend::DefaultScheduler | Backend::Kubernetes | Backend::KubernetesTree => None,
    }
}

/// Whether a set, or its PodGang, names this queue for any scheduler.
pub fn names_queue(meta: &ObjectMeta, queue: &str) -> bool {
    [kai_queue(meta), volcano_queue(meta)].contains(&Some(queue))
}

fn kai_queue(meta: &ObjectMeta) -> Option<&str> {
    let label = ownership::label(meta, labels::KAI_QUEUE);
    label.or_else(|| ownership::annotation(meta, labels::KAI_QUEUE))
}

fn volcano_queue(meta: &ObjectMeta) -> Option<&str> {
    ownership::annotation(meta, labels::VOLCANO_QUEUE)
}
