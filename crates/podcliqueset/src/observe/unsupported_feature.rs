//! The scheduler features that the set needs and this cluster lacks.

use std::collections::{HashMap, HashSet};

use api::nvidia::ComputeDomain;
use api::{PodCliqueSet, labels};
use domain::object::ownership;
use domain::scheduling::{self, Backend, UnsupportedFeature};
use domain::topology;
use domain::workload::nvlink;
use engine::Caches;

use super::ObservedClique;
use crate::PodCliqueSetReconciler;

/// The feature that the set needs and its scheduler lacks.
pub(super) fn find_unsupported(
    backend: Backend,
    set: &PodCliqueSet,
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> Option<UnsupportedFeature> {
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    if !caches.serves(backend, namespace) {
        return Some(UnsupportedFeature::NotServed(backend));
    }
    let needs_more = backend == Backend::Kubernetes
        && !caches.serves(Backend::KubernetesTree, namespace)
        && (requires_domain(set) || any_gang_needs_composites(podcliques));
    if needs_more {
        return Some(UnsupportedFeature::NotServed(Backend::KubernetesTree));
    }
    let class = &set.spec.template.priority_class_name;
    if let Some(unsupported) = scheduling::find_unsupported_priority(backend, class) {
        return Some(unsupported);
    }
    caches.find_missing_queue(backend, scheduling::queue_of_set(backend, set)?)
}

/// Whether cliques are to have ComputeDomains, and the cluster does not serve them.
pub(super) fn lacks_domains(
    set: &PodCliqueSet,
    rules: &PodCliqueSetReconciler,
    caches: &Caches,
) -> bool {
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    rules.is_mnnvl_enabled
        && !caches.is_served::<ComputeDomain>(namespace)
        && !nvlink::enrolled_groups(set).is_empty()
}

/// Whether pods have to share a topology domain: only CompositePodGroups, or PodGroups beside them,
/// are placed in one.
fn requires_domain(set: &PodCliqueSet) -> bool {
    let (required, _) = topology::named_domains(&set.spec.template);
    !required.is_empty()
}

/// Whether pods that are to start together name more than one PodGroup.
fn any_gang_needs_composites(podcliques: &HashMap<String, ObservedClique>) -> bool {
    let mut named: HashMap<&str, HashSet<&str>> = HashMap::new();
    for podclique in podcliques.values() {
        let gang = ownership::label(&podclique.podclique.metadata, labels::POD_GANG);
        let groups = podclique
            .staying()
            .filter(|p| p.gate_position().is_some())
            .filter_map(|p| p.pod_group());
        named
            .entry(gang.unwrap_or_default())
            .or_default()
            .extend(groups);
    }
    named.values().any(|groups| groups.len() > 1)
}
