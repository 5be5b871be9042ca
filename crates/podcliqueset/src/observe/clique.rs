//! A PodClique of a set with its pods.

use std::sync::Arc;

use api::PodClique;
use domain::Pod;
use domain::object::ownership;
use domain::roster::ObservedClique;
use engine::Caches;

/// Reads its pods; returns them with its name.
pub(super) fn observe_clique(
    podclique: Arc<PodClique>,
    caches: &Caches,
) -> (String, ObservedClique) {
    let mut pods = caches.of::<Pod>().owned_by(&*podclique);
    // Pods without an index were created by hand.
    pods.retain(|p| p.index().is_some());
    domain::object::pod::sort_pods(&mut pods);
    let lost = caches
        .slot_history
        .lost_beside(ownership::uid(&podclique.metadata), &pods);
    (
        ownership::name(&podclique.metadata).to_owned(),
        ObservedClique {
            podclique,
            pods,
            lost,
        },
    )
}
