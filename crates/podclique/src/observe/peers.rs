//! Pods that show how the scheduler was told of the gang.

use std::sync::Arc;

use api::{PodClique, PodGang, labels};
use domain::object::ownership;
use domain::scheduling::{GangScheduler, Peers, find_peer};
use domain::{Key, Pod};
use engine::Caches;

use crate::PodCliqueReconciler;

/// The scheduler of the gang, by its pods that stay: first those of the PodClique itself.
pub(super) fn find_scheduler(
    podclique: &PodClique,
    pods: &[Arc<Pod>],
    gang: Option<&PodGang>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> GangScheduler {
    let named = podclique.spec.pod_spec.scheduler_name.as_deref();
    let own = find_peer(pods.iter()).cloned();
    let own = own.or_else(|| find_peer_in(gang?, caches));
    let of_base = match &own {
        Some(_) => None,
        None => base_of(podclique, caches).and_then(|base| find_peer_in(&base, caches)),
    };
    let peers = Peers {
        own: own.as_deref(),
        of_base: of_base.as_deref(),
    };
    GangScheduler::of(&rules.profiles, named, peers)
}

fn base_of(podclique: &PodClique, caches: &Caches) -> Option<Arc<PodGang>> {
    let meta = &podclique.metadata;
    let base = ownership::label(meta, labels::BASE_POD_GANG)?;
    let key = Key::new(meta.namespace.clone().unwrap_or_default(), base);
    caches.of::<PodGang>().get(&key)
}

fn find_peer_in(gang: &PodGang, caches: &Caches) -> Option<Arc<Pod>> {
    let namespace = gang.metadata.namespace.as_deref().unwrap_or_default();
    let parts = gang.spec.pod_groups.iter();
    let keys = parts.map(|part| Key::new(namespace, part.name.clone()));
    let podcliques = keys.filter_map(|key| caches.of::<PodClique>().get(&key));
    let peers = podcliques
        .filter_map(|part| find_peer(caches.of::<Pod>().owned_by(&*part).iter()).cloned());
    let peers: Vec<Arc<Pod>> = peers.collect();
    find_peer(peers.iter()).cloned()
}
