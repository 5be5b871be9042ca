//! The PodCliques and groups that a gang reads. Owner references decide, as they do for the set: an
//! earlier set of the same name may have left PodCliques with the same names (decision 150).

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::Key;
use domain::health::suspension;
use domain::object::ownership;
use domain::roster::Owner;
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The PodClique of that name, of any attempt; `None` if another object than the gang's set controls
/// it.
pub(crate) fn find_podclique(
    gang: &PodGang,
    name: &str,
    caches: &Caches,
) -> Option<Arc<PodClique>> {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let found = caches.of::<PodClique>().get(&Key::new(namespace, name))?;
    is_of_set(gang, &found.metadata, caches).then_some(found)
}

/// Whether no other object than the gang's set controls the PodClique. The set of a gang without a
/// controller is not known: all count until the gang is adopted.
pub(crate) fn is_of_set(gang: &PodGang, podclique: &ObjectMeta, caches: &Caches) -> bool {
    let set = ownership::controller(&gang.metadata);
    set.is_none_or(|set| caches.owner_of(&set.uid, podclique) != Owner::Foreign)
}

/// The same of a scaling group.
pub(crate) fn is_group_of_set(gang: &PodGang, group: &PodCliqueScalingGroup) -> bool {
    let set = ownership::controller(&gang.metadata);
    let owner = ownership::controller(&group.metadata);
    set.zip(owner)
        .is_none_or(|(set, owner)| set.uid == owner.uid)
}

/// Whether the set that controls the gang is suspended.
pub(crate) fn is_set_suspended(gang: &PodGang, caches: &Caches) -> bool {
    find_set(gang, caches).is_some_and(|set| suspension::is_suspended(set.status.as_ref()))
}

/// The set that controls the gang.
pub(crate) fn find_set(gang: &PodGang, caches: &Caches) -> Option<Arc<PodCliqueSet>> {
    let owner = ownership::controller(&gang.metadata)?;
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let set = caches
        .of::<PodCliqueSet>()
        .get(&Key::new(namespace, owner.name.as_str()));
    set.filter(|set| ownership::uid(&set.metadata) == owner.uid)
}
