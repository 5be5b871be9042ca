//! Pods that show how the scheduler was told of a gang (decision 135).

use std::sync::Arc;

use api::{PodClique, PodGang, labels, names};
use domain::object::ownership;
use domain::scheduling::{GangScheduler, Peers, Profiles, find_peer};
use domain::{Key, Pod};
use engine::Caches;

use crate::part::Part;

/// The scheduler of the gang, by its pods that stay.
pub(crate) fn find_scheduler(
    gang: &PodGang,
    parts: &[Part],
    caches: &Caches,
    profiles: &Profiles,
) -> GangScheduler {
    let podcliques = parts.iter().filter_map(|part| part.podclique.clone());
    let own = find_peer_of(podcliques, caches);
    let of_base = match &own {
        Some(_) => None,
        None => base_of(gang, caches).and_then(|base| find_peer_in(&base, caches)),
    };
    let peers = Peers {
        own: own.as_deref(),
        of_base: of_base.as_deref(),
    };
    let named = ownership::label(&gang.metadata, labels::SCHEDULER_NAME);
    GangScheduler::of(profiles, named, peers)
}

fn base_of(gang: &PodGang, caches: &Caches) -> Option<Arc<PodGang>> {
    let set = ownership::label(&gang.metadata, labels::PART_OF)?;
    let base = names::base_of_scaled_gang(set, ownership::name(&gang.metadata))?;
    caches.of::<PodGang>().get(&key_beside(gang, &base))
}

fn find_peer_in(gang: &PodGang, caches: &Caches) -> Option<Arc<Pod>> {
    let parts = gang.spec.pod_groups.iter();
    let podcliques = parts.filter_map(|part| {
        let key = key_beside(gang, &part.name);
        caches.of::<PodClique>().get(&key)
    });
    find_peer_of(podcliques, caches)
}

fn key_beside(gang: &PodGang, name: &str) -> Key {
    Key::new(gang.metadata.namespace.clone().unwrap_or_default(), name)
}

fn find_peer_of(
    podcliques: impl Iterator<Item = Arc<PodClique>>,
    caches: &Caches,
) -> Option<Arc<Pod>> {
    let peers = podcliques
        .filter_map(|part| find_peer(caches.of::<Pod>().owned_by(&*part).iter()).cloned());
    let peers: Vec<Arc<Pod>> = peers.collect();
    find_peer(peers.iter()).cloned()
}
