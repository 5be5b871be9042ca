//! Reads pods that hang in Terminating (docs/semantics.md §6.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use api::{PodClique, labels};
use domain::health::training;
use domain::object::ownership;
use domain::{Key, Pod};
use engine::Caches;

use crate::PodCliqueReconciler;

/// The nodes of a job's terminating pods that can be expected to end them. If the operator may not
/// read nodes, this is not known.
pub(super) fn nodes_in_service(
    podclique: &PodClique,
    pods: &[Arc<Pod>],
    caches: &Caches,
) -> BTreeSet<String> {
    pods.iter()
        .filter(|p| p.is_terminating())
        .filter_map(|p| p.spec.node_name.as_deref())
        .filter(|_| training::is_of_job(podclique))
        .filter(|node| caches.is_node_in_service(node))
        .map(str::to_owned)
        .collect()
}

/// Terminating pods of a PodClique of this name that is gone, or about to go. The operator waits
/// for that PodClique as long as for its pods, unless it waits for these without end.
pub(super) fn predecessors(
    podclique: &PodClique,
    set: Option<&Key>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> Vec<Arc<Pod>> {
    let Some(set) = set.filter(|_| {
        rules
            .stuck_timeouts
            .may_hold_for_ever(training::is_of_job(podclique))
    }) else {
        return Vec::new();
    };
    let meta = &podclique.metadata;
    let mut pods = caches.of::<Pod>().part_of(set);
    pods.retain(|p| {
        let of = ownership::label(&p.metadata, labels::POD_CLIQUE);
        let owner = ownership::controller(&p.metadata);
        p.is_terminating()
            && of == Some(ownership::name(meta))
            && owner.is_some_and(|owner| owner.uid != ownership::uid(meta))
    });
    pods
}
