//! Pods whose marks show the scheduler of a gang (decision 135).

use std::sync::Arc;

use api::{PodGang, labels, names};
use domain::Key;
use domain::object::ownership;
use domain::scheduling::{GangScheduler, Profiles};
use engine::Caches;

use crate::gang_part::GangPart;

/// The scheduler of the gang, by its pods that stay.
pub(crate) fn find_scheduler(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
    profiles: &Profiles,
) -> GangScheduler {
    let podcliques = parts.iter().filter_map(|part| part.podclique.clone());
    let own = caches.find_peer_of(podcliques);
    let named = ownership::label(&gang.metadata, labels::SCHEDULER_NAME);
    let base = || base_of(gang, caches);
    caches.scheduler_by_peers(profiles, named, own.as_deref(), base)
}

/// The base gang of a scaled gang, if it exists; `None` for a base gang.
pub(crate) fn base_of(gang: &PodGang, caches: &Caches) -> Option<Arc<PodGang>> {
    let meta = &gang.metadata;
    let set = ownership::label(meta, labels::PART_OF)?;
    let base = names::base_of_scaled_gang(set, ownership::name(meta))?;
    let key = Key::new(meta.namespace.clone().unwrap_or_default(), base);
    caches.of::<PodGang>().get(&key)
}
