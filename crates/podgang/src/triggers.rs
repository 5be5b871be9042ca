//! The triggers of a PodGang: itself, its PodCliques, its pods.
//!
//! It reads PodCliques and pods by name, whatever their labels are: one with an edited label is
//! found by its owners and their names as well.

mod scattered;
mod waiting;

use std::sync::Arc;

use api::kai::{KaiPodGroup, KaiQueue, KaiTopology, keys};
use api::kueue::{KueueWorkload, ResourceFlavor, WorkloadPriorityClass};
use api::volcano::{VolcanoPodGroup, VolcanoQueue};
use api::{
    ClusterTopologyBinding, LastError, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang,
    PodGangSpec, labels, names,
};
use domain::health::{suspension, training};
use domain::object::ownership;
use domain::scheduling::{names_queue, pod_group_name, quota};
use domain::workload::gang;
use domain::{Key, Node, Pod};
use engine::cache::set_of;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::backend::topology;

/// Registers all triggers.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodGang>(from_gang);
    on.on_change::<PodCliqueSet>(from_set);
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<PodCliqueScalingGroup>(from_group);
    on.on_change::<Pod>(from_pod);
    on.on_change::<Pod>(waiting::from_pod);
    on.on_change::<Pod>(scattered::from_pod);
    on.on_change::<Node>(waiting::from_node);
    on.on_change::<Node>(scattered::from_node);
    on.on_change::<VolcanoPodGroup>(from_pod_group);
    on.on_change::<KaiPodGroup>(from_pod_group);
    on.on_change::<PodGroup>(from_pod_group);
    on.on_change::<CompositePodGroup>(from_pod_group);
    on.on_change::<Workload>(from_pod_group);
    on.on_change::<KueueWorkload>(from_pod_group);
    on.on_change::<ResourceFlavor>(|_, caches| queued_gangs(caches));
    on.on_change::<WorkloadPriorityClass>(|_, caches| queued_gangs(caches));
    on.on_change::<KaiTopology>(from_kai_topology);
    on.on_change::<KaiQueue>(|queue, caches| find::by_queue(queue, caches, names));
    on.on_change::<VolcanoQueue>(|queue, caches| find::by_queue(queue, caches, names));
    on.on_change::<ClusterTopologyBinding>(|_, caches| all_gangs(caches));
}

fn names(gang: &PodGang, queue: &str) -> bool {
    names_queue(&gang.metadata, queue)
}

/// The gang itself, and the base gang: its scheduler may get all gangs of the replica as one tree,
/// and pods only once a gang lists them.
fn from_gang(change: &Change<PodGang>, caches: &Caches) -> Vec<Key> {
    let mut all = find::own(change);
    let beside = from_quota_of_base(change, caches);
    let mut namespaces = all.iter().map(|key| &key.namespace);
    let is_served = namespaces.any(|namespace| caches.is_served::<PodGroup>(namespace));
    let lists_others = is_served && !change.keeps_part(|gang| &gang.spec.pod_groups);
    if lists_others || has_other_constraints(change) {
        let gangs = change.versions();
        all.extend(gangs.filter_map(|gang| base_of_scaled(&gang.metadata)));
    }
    all.extend(beside);
    all
}

/// Flavors and classes change rarely.
fn queued_gangs(caches: &Caches) -> Vec<Key> {
    let gangs = caches.of::<PodGang>().all();
    gangs
        .iter()
        .filter(|gang| quota::local_queue(&gang.metadata).is_some())
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}

/// Scaled gangs have quota only beside that of their base gang.
fn from_quota_of_base(change: &Change<PodGang>, caches: &Caches) -> Vec<Key> {
    let is_queued = change.versions().any(|gang| quota::is_held(gang));
    if !is_queued || change.keeps(quota::is_held) {
        return Vec::new();
    }
    let Some(base) = change.newest() else {
        return Vec::new();
    };
    let Some(set) = set_of(&base.metadata) else {
        return Vec::new();
    };
    let gangs = caches.of::<PodGang>().part_of(&set);
    let own = Key::of(&base.metadata);
    gangs
        .iter()
        .filter(|gang| base_of_scaled(&gang.metadata).as_ref() == Some(&own))
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}

fn has_other_constraints(change: &Change<PodGang>) -> bool {
    let none = PodGangSpec::default();
    let old = change.old.as_ref().map_or(&none, |gang| &gang.spec);
    let new = change.new.as_ref().map_or(&none, |gang| &gang.spec);
    topology::differs(old, new)
}

/// The gangs of a set that is suspended or resumed, or of a job that ends: its quota is given back.
fn from_set(change: &Change<PodCliqueSet>, caches: &Caches) -> Vec<Key> {
    let state = |set: &PodCliqueSet| {
        let status = set.status.as_ref();
        let phase = status.and_then(|status| status.phase);
        let is_over = training::is_terminal(phase);
        (suspension::is_suspended(status), phase.filter(|_| is_over))
    };
    if change.keeps(state) {
        return Vec::new();
    }
    let sets = change.versions();
    let gangs = sets.flat_map(|set| caches.of::<PodGang>().owned_by(&**set));
    gangs.map(|gang| Key::of(&gang.metadata)).collect()
}

/// The gangs whose constraints refer to it. KAI makes the levels of a topology immutable, so one
/// with other levels is another object.
fn from_kai_topology(change: &Change<KaiTopology>, caches: &Caches) -> Vec<Key> {
    let Some(topology) = change.newest() else {
        return Vec::new();
    };
    let name = Some(ownership::name(&topology.metadata));
    let gangs = caches.of::<PodGang>().all();
    gangs
        .iter()
        .filter(|gang| ownership::annotation(&gang.metadata, labels::TOPOLOGY_NAME) == name)
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}

fn base_of_scaled(gang: &ObjectMeta) -> Option<Key> {
    let set = set_of(gang)?;
    let base = names::base_of_scaled_gang(&set.name, ownership::name(gang))?;
    Some(Key::new(set.namespace, base))
}

/// The gang that controls it: a user may have changed or deleted it.
fn from_pod_group<K: Resource<DynamicType = ()>>(change: &Change<K>, _: &Caches) -> Vec<Key> {
    let owners = change.versions().map(|group| group.meta());
    owners.filter_map(find::owner::<PodGang>).collect()
}

/// The scores of all gangs depend on the levels.
fn all_gangs(caches: &Caches) -> Vec<Key> {
    let gangs = caches.of::<PodGang>().all();
    gangs.iter().map(|g| Key::of(&g.metadata)).collect()
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let both = change.old.as_ref().zip(change.new.as_ref());
    if both.is_some_and(|(old, new)| tells_gangs_the_same(old, new)) {
        return Vec::new();
    }
    let mut gangs: Vec<Key> = change
        .versions()
        .flat_map(|c| gangs_of(&c.metadata, caches))
        .collect();
    // The base gang's scheduler may get all gangs of the replica as one tree.
    let size = |c: &PodClique| {
        let spec = &c.spec;
        (spec.replicas, spec.min_available, identity(&c.metadata))
    };
    if !change.keeps(size) {
        gangs.extend(change.versions().filter_map(|c| base_of(&c.metadata)));
    }
    gangs
}

/// Whether a gang reads the same from both: from the status only the refusals, and the completed
/// pods.
fn tells_gangs_the_same(old: &PodClique, new: &PodClique) -> bool {
    identity(&old.metadata) == identity(&new.metadata)
        && old.metadata.annotations == new.metadata.annotations
        && old.spec == new.spec
        && refused_and_done(old) == refused_and_done(new)
}

fn refused_and_done(podclique: &PodClique) -> (&[LastError], Option<&str>) {
    let status = podclique.status.as_ref();
    let refused = status.map_or(&[][..], |s| &s.last_errors);
    (refused, status.and_then(|s| s.completed_indices.as_deref()))
}

/// The keys by which the tree finds its parts.
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

/// Its minimum is part of the base gang's tree.
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
    // The used PodGroups are observed for all gangs of the replica, and so is a tree.
    let bases = change
        .versions()
        .filter(|p| may_be_of_tree(p))
        .filter_map(|p| base_of(&p.metadata));
    let bases: Vec<Key> = if change.keeps(state_in_tree) {
        Vec::new()
    } else {
        bases.collect()
    };
    let podcliques = find::owners::<Pod, PodClique>(change, caches);
    let of_owners = podcliques
        .iter()
        .flat_map(|c| gangs_of(&c.metadata, caches));
    labelled.chain(of_owners).chain(bases).collect()
}

/// The fields that decide which node it holds.
fn place_of(pod: &Pod) -> impl PartialEq + use<> {
    let node = pod.spec.node_name.clone();
    (node, pod.is_terminating(), pod.is_completed())
}

/// Whether it has the PodGroup of Kubernetes, or of its base gang in KAI Scheduler.
fn may_be_of_tree(pod: &Pod) -> bool {
    let of_base = || {
        let base = base_of(&pod.metadata)?;
        let named = ownership::annotation(&pod.metadata, keys::POD_GROUP)?;
        Some(named == pod_group_name(&base.namespace, &base.name))
    };
    pod.pod_group().is_some() || of_base().unwrap_or(false)
}

/// The fields by which a tree counts it.
fn state_in_tree(pod: &Pod) -> impl PartialEq + use<> {
    (
        (
            pod.uid().to_owned(),
            pod.is_terminating(),
            pod.is_completed(),
        ),
        (
            pod.is_scheduled(),
            pod.is_running(),
            pod.is_ready(),
            pod.is_finishing(),
        ),
    )
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
