//! What makes a PodGang look again: itself, its PodCliques, its pods.
//!
//! It reads PodCliques and pods by name, whatever their labels say: one whose label was edited is
//! found by its owners and their names as well.

use std::sync::Arc;

use api::kai::KaiPodGroup;
use api::volcano::VolcanoPodGroup;
use api::{ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodGang, labels, names};
use domain::object::ownership;
use domain::workload::gang;
use domain::{Key, Pod};
use engine::cache::set_of;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

/// All of them.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodGang>(|change, _| find::own(change));
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<PodCliqueScalingGroup>(from_group);
    on.on_change::<Pod>(from_pod);
    on.on_change::<VolcanoPodGroup>(from_pod_group);
    on.on_change::<KaiPodGroup>(from_pod_group);
    on.on_change::<ClusterTopologyBinding>(|_, caches| all_gangs(caches));
}

/// The gang that controls it: somebody may have changed or deleted it.
fn from_pod_group<K: Resource<DynamicType = ()>>(change: &Change<K>, _: &Caches) -> Vec<Key> {
    let owners = change.versions().map(|group| group.meta());
    owners.filter_map(find::owner::<PodGang>).collect()
}

/// Their scores are by its levels.
fn all_gangs(caches: &Caches) -> Vec<Key> {
    let gangs = caches.of::<PodGang>().all();
    gangs.iter().map(|g| Key::of(&g.metadata)).collect()
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let own = change
        .versions()
        .flat_map(|c| gangs_of(&c.metadata, caches));
    let mut gangs: Vec<Key> = own.collect();
    // The base gang's scheduler may have to be told of all gangs of the replica.
    let size = |c: &PodClique| {
        let spec = &c.spec;
        (spec.replicas, spec.min_available, identity(&c.metadata))
    };
    if !change.keeps(size) {
        gangs.extend(change.versions().filter_map(|c| base_of(&c.metadata)));
    }
    gangs
}

/// By what the tree finds its parts.
fn identity(meta: &ObjectMeta) -> impl PartialEq + use<> {
    (
        meta.uid.clone(),
        meta.labels.clone(),
        meta.owner_references.clone(),
        ownership::is_terminating(meta),
    )
}

fn base_of(podclique: &ObjectMeta) -> Option<Key> {
    let base = ownership::label(podclique, labels::BASE_POD_GANG)?;
    Some(Key::new(
        podclique.namespace.clone().unwrap_or_default(),
        base,
    ))
}

/// Its minimum is told to the scheduler of the base gang.
fn from_group(change: &Change<PodCliqueScalingGroup>, _: &Caches) -> Vec<Key> {
    let read = |g: &PodCliqueScalingGroup| (g.spec.min_available, identity(&g.metadata));
    if change.keeps(read) {
        return Vec::new();
    }
    let base = |g: &Arc<PodCliqueScalingGroup>| {
        let set = set_of(&g.metadata)?;
        let replica = ownership::replica_in(&set.name, &g.metadata)?;
        Some(Key::new(
            set.namespace,
            names::base_gang(&set.name, replica),
        ))
    };
    change.versions().filter_map(base).collect()
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
