//! Pods whose marks show the scheduler of the gang.

use std::sync::Arc;

use api::{PodClique, PodGang, labels};
use domain::object::ownership;
use domain::scheduling::{GangScheduler, find_peer};
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
    let own = own.or_else(|| caches.find_peer_in(gang?));
    let base = || base_of(podclique, caches);
    caches.scheduler_by_peers(&rules.profiles, named, own.as_deref(), base)
}

fn base_of(podclique: &PodClique, caches: &Caches) -> Option<Arc<PodGang>> {
    let meta = &podclique.metadata;
    let base = ownership::label(meta, labels::BASE_POD_GANG)?;
    let key = Key::new(meta.namespace.clone().unwrap_or_default(), base);
    caches.of::<PodGang>().get(&key)
}
