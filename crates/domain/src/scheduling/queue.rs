//! The queue whose quota a set uses.

use std::collections::BTreeMap;

use api::{PodCliqueSet, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Backend;

type Keys = BTreeMap<String, String>;

/// The queue that a PodGang names for the scheduler of this backend: a label, else an annotation,
/// `kai.scheduler/queue`; annotation `scheduling.grove.io/volcano-queue`.
pub fn queue_of(backend: Backend, meta: &ObjectMeta) -> Option<&str> {
    find_queue(backend, meta.labels.as_ref(), meta.annotations.as_ref()).map(|(queue, _)| queue)
}

/// The queue that a set names: itself, or else the cliques of its template if those that name one
/// agree. Dynamo creates sets of this form.
pub fn queue_of_set(backend: Backend, set: &PodCliqueSet) -> Option<&str> {
    queue_of(backend, &set.metadata).or_else(|| Some(queue_of_cliques(backend, set)?.0))
}

/// Whether a PodGang names this queue for any scheduler.
pub fn names_queue(meta: &ObjectMeta, queue: &str) -> bool {
    let mut named = QUEUED.iter().filter_map(|backend| queue_of(*backend, meta));
    named.any(|named| named == queue)
}

/// Whether a set names this queue for any scheduler.
pub fn set_names_queue(set: &PodCliqueSet, queue: &str) -> bool {
    let mut named = QUEUED
        .iter()
        .filter_map(|backend| queue_of_set(*backend, set));
    named.any(|named| named == queue)
}

/// Adds queues to the metadata of a PodGang if only the cliques of its set name them.
pub fn inherit_queues(metadata: &mut ObjectMeta, set: &PodCliqueSet) {
    for backend in QUEUED {
        if queue_of(backend, &set.metadata).is_some() {
            continue;
        }
        let Some((queue, source)) = queue_of_cliques(backend, set) else {
            continue;
        };
        let keys = match source {
            QueueSource::Label => &mut metadata.labels,
            QueueSource::Annotation => &mut metadata.annotations,
        };
        let key = match backend {
            Backend::Volcano => labels::VOLCANO_QUEUE,
            _ => labels::KAI_QUEUE,
        };
        let keys = keys.get_or_insert_default();
        keys.insert(key.to_owned(), queue.to_owned());
    }
}

/// One for each key.
const QUEUED: [Backend; 2] = [Backend::KaiScheduler, Backend::Volcano];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueSource {
    Label,
    Annotation,
}

fn queue_of_cliques(backend: Backend, set: &PodCliqueSet) -> Option<(&str, QueueSource)> {
    let cliques = set.spec.template.cliques.iter();
    let mut named =
        cliques.filter_map(|c| find_queue(backend, Some(&c.labels), Some(&c.annotations)));
    let (queue, source) = named.next()?;
    named
        .all(|(other, _)| other == queue)
        .then_some((queue, source))
}

fn find_queue<'a>(
    backend: Backend,
    of_labels: Option<&'a Keys>,
    of_annotations: Option<&'a Keys>,
) -> Option<(&'a str, QueueSource)> {
    let label = |key: &str| Some((of_labels?.get(key)?.as_str(), QueueSource::Label));
    let annotation =
        |key: &str| Some((of_annotations?.get(key)?.as_str(), QueueSource::Annotation));
    match backend {
        Backend::KaiScheduler | Backend::KaiTree => {
            label(labels::KAI_QUEUE).or_else(|| annotation(labels::KAI_QUEUE))
        }
        // The pod-grouper knows the label only.
        Backend::KaiPodGrouper => label(labels::KAI_QUEUE),
        Backend::Volcano => annotation(labels::VOLCANO_QUEUE),
        Backend::DefaultScheduler | Backend::Kubernetes | Backend::KubernetesTree => None,
    }
}
