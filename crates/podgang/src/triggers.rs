//! What makes a PodGang look again: itself, its PodCliques, its pods.
//!
//! It reads PodCliques and pods by name, whatever their labels say: one whose label was edited is
//! found by its owners and their names as well.

use api::kai::KaiPodGroup;
use api::{ClusterTopologyBinding, PodClique, PodGang, names};
use domain::object::ownership;
use domain::workload::gang;
use domain::{Key, Pod};
use engine::cache::set_of;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// All of them.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodGang>(|change, _| find::own(change));
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<Pod>(from_pod);
    on.on_change::<KaiPodGroup>(|change, _| {
        let owners = change.versions().filter_map(|g| find::owner::<PodGang>(&g.metadata));
        owners.collect()
    });
    on.on_change::<ClusterTopologyBinding>(|_, caches| all_gangs(caches));
}

/// Their scores are by its levels.
fn all_gangs(caches: &Caches) -> Vec<Key> {
    let gangs = caches.of::<PodGang>().all();
    gangs.iter().map(|g| Key::of(&g.metadata)).collect()
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let versions = change.versions();
    versions
        .flat_map(|c| gangs_of(&c.metadata, caches))
        .collect()
}

fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let labelled = change.versions().filter_map(|p| find::gang(&p.metadata));
    let podcliques = find::owners::<Pod, PodClique>(change, caches);
    let of_owners = podcliques
        .iter()
        .flat_map(|c| gangs_of(&c.metadata, caches));
    labelled.chain(of_owners).collect()
}

/// The gang that the PodClique's label names, and the one that has its name among its parts.
fn gangs_of(podclique: &ObjectMeta, caches: &Caches) -> impl Iterator<Item = Key> + use<> {
    let named = gang_by_name(podclique, caches).map(|name| {
        let namespace = podclique.namespace.clone().unwrap_or_default();
        Key::new(namespace, name)
    });
    find::gang(podclique).into_iter().chain(named)
}

fn gang_by_name(podclique: &ObjectMeta, caches: &Caches) -> Option<String> {
    let owner = ownership::controller(podclique)?;
    let name = ownership::name(podclique);
    if owner.kind == "PodCliqueSet" {
        let (i, _) = names::parts_of_standalone_clique(&owner.name, name)?;
        return Some(names::base_gang(&owner.name, i));
    }
    let group = caches.group_of(podclique, owner)?;
    let set = set_of(&group.metadata)?.name;
    let base = names::base_gang(&set, ownership::replica_in(&set, &group.metadata)?);
    let j = ownership::group_replica_in(&owner.name, podclique)?;
    let minimum = group.spec.min_available.unwrap_or(1);
    Some(gang::of_group_replica(&base, &owner.name, j, minimum).0)
}
