//! What the set's scheduler cannot be told in this cluster.

use std::collections::{HashMap, HashSet};

use api::labels;
use domain::object::ownership;
use domain::scheduling::Backend;
use engine::Caches;

use super::ObservedClique;
use crate::PodCliqueSetReconciler;

/// The backend of which the cluster lacks a kind, if the set needs that.
pub(super) fn find_backend(
    scheduler: Option<&str>,
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
    rules: &PodCliqueSetReconciler,
) -> Option<Backend> {
    let backend = rules.profiles.backend_of(scheduler);
    if !caches.serves(backend) {
        return Some(backend);
    }
    let needs_more = backend == Backend::Kubernetes
        && !caches.serves(Backend::KubernetesTree)
        && any_gang_needs_composites(podcliques);
    needs_more.then_some(Backend::KubernetesTree)
}

/// Whether pods that are to start together name more than one PodGroup.
fn any_gang_needs_composites(podcliques: &HashMap<String, ObservedClique>) -> bool {
    let mut named: HashMap<&str, HashSet<&str>> = HashMap::new();
    for podclique in podcliques.values() {
        let gang = ownership::label(&podclique.podclique.metadata, labels::POD_GANG);
        let gated = podclique.staying().filter(|p| p.gate_position().is_some());
        let groups = gated.filter_map(|p| p.pod_group());
        named
            .entry(gang.unwrap_or_default())
            .or_default()
            .extend(groups);
    }
    named.values().any(|groups| groups.len() > 1)
}
