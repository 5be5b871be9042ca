//! The triggers of a PodCliqueSet: itself, and all its objects.

use std::sync::Arc;

use admission::oversize;
use api::kai::{KaiPodGroup, KaiQueue, KaiTopology};
use api::kueue::KueueWorkload;
use api::nvidia::ComputeDomain;
use api::volcano::{VolcanoPodGroup, VolcanoQueue};
use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels,
};
use domain::object::ownership;
use domain::scheduling::set_names_queue;
use domain::topology;
use domain::workload::limits;
use domain::{Claim, Key, Node, Pod, Revision};
use engine::cache::set_of;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};

/// Registers all triggers.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodCliqueSet>(from_set);
    on.on_change::<PodCliqueScalingGroup>(|change, _| find::sets(change));
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<PodGang>(|change, _| find::sets(change));
    on.on_change::<Pod>(from_pod);
    on.on_change::<Service>(|change, _| find::sets(change));
    on.on_change::<HorizontalPodAutoscaler>(from_autoscaler);
    on.on_change::<Revision>(|change, _| find::sets(change));
    on.on_change::<Claim>(from_claim);
    on.on_change::<ResourceClaimTemplate>(|template, caches| {
        let sets = find::by_claim_template(template, caches);
        sets.iter().map(|set| Key::of(&set.metadata)).collect()
    });
    on.on_change::<ComputeDomain>(|change, _| find::sets(change));
    // If its scheduler needs objects for gangs, no gang starts before the cluster serves these
    // kinds.
    on.on_change::<KaiPodGroup>(|_, _| Vec::new());
    on.on_change::<VolcanoPodGroup>(|_, _| Vec::new());
    on.on_change::<PodGroup>(|_, _| Vec::new());
    on.on_change::<CompositePodGroup>(|_, _| Vec::new());
    on.on_change::<Workload>(|_, _| Vec::new());
    on.on_change::<KueueWorkload>(|_, _| Vec::new());
    on.on_change::<KaiQueue>(|queue, caches| find::by_queue(queue, caches, set_names_queue));
    on.on_change::<VolcanoQueue>(|queue, caches| find::by_queue(queue, caches, set_names_queue));
    on.on_change::<ClusterTopologyBinding>(from_binding);
    on.on_change::<KaiTopology>(from_kai_topology);
    on.on_change::<Node>(from_node);
    on.on_settled::<ComputeDomain>(|settled, _| settled.set.clone().into_iter().collect());
    // A job that was given up waits for its last pod, and claims and ComputeDomains are removed once no
    // pod may exist unseen.
    on.on_settled::<Pod>(|settled, caches| {
        let set = settled.set.clone();
        set.into_iter()
            .filter(|set| caches.awaits_last_pod(set) || owns_claims(set, caches))
            .collect()
    });
}

/// When a set is deleted, or becomes smaller, another set of a full namespace has room.
fn from_set(change: &Change<PodCliqueSet>, caches: &Caches) -> Vec<Key> {
    let mut sets = find::own(change);
    if let Some(old) = change
        .old
        .as_ref()
        .filter(|_| !change.keeps(|set| set.metadata.generation))
    {
        let namespace = old.metadata.namespace.as_deref().unwrap_or_default();
        let all = caches.of::<PodCliqueSet>();
        let beside = all.bytes_beside(&Key::of(&old.metadata));
        if oversize::of_namespace(old, beside).is_some() {
            sets.extend(all.in_namespace(namespace, limits::says_over_limits));
        }
    }
    sets
}

/// Labels can be edited: one of a scaling group belongs to that group's set.
fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let groups = find::owners::<PodClique, PodCliqueScalingGroup>(change, caches);
    let of_groups = groups.iter().filter_map(|g| set_of(&g.metadata));
    find::sets(change).into_iter().chain(of_groups).collect()
}

/// The sets whose constraints name it: their gangs may wait for one of its levels.
fn from_binding(change: &Change<ClusterTopologyBinding>, caches: &Caches) -> Vec<Key> {
    if change.keeps(|binding| binding.spec.clone()) {
        return Vec::new();
    }
    let Some(binding) = change.newest() else {
        return Vec::new();
    };
    let name = ownership::name(&binding.metadata);
    let sets = caches.of::<PodCliqueSet>().all();
    sets.iter()
        .filter(|set| topology::binding_name(&set.spec.template) == Some(name))
        .map(|set| Key::of(&set.metadata))
        .collect()
}

/// The sets with constraints: their gangs may wait for a level of it.
fn from_kai_topology(change: &Change<KaiTopology>, caches: &Caches) -> Vec<Key> {
    if change.keeps(|topology| topology.spec.levels.clone()) {
        return Vec::new();
    }
    let sets = caches.of::<PodCliqueSet>().all();
    sets.iter()
        .filter(|set| topology::has_constraints(&set.spec.template))
        .map(|set| Key::of(&set.metadata))
        .collect()
}

/// A job that was given up waits less long for pods whose node is lost, and so do claims. Pods of a topology
/// domain are listed once the node of the others is known, pins to a domain that has another name now are given
/// up, and gangs wait for labels that name one domain each.
fn from_node(change: &Change<Node>, caches: &Caches) -> Vec<Key> {
    let pods = find::left_behind(change, caches);
    let sets = pods.iter().filter_map(|pod| set_of(&pod.metadata));
    let mut sets: Vec<Key> = sets
        .filter(|set| caches.awaits_last_pod(set) || owns_claims(set, caches))
        .collect();
    if change.keeps(|node| node.metadata.labels.clone()) {
        return sets;
    }
    sets.extend(sets_without_topology(caches));
    if let Some(node) = &change.new {
        sets.extend(constrained_sets_on(ownership::name(&node.metadata), caches));
    }
    sets
}

/// The sets that say so: two domains of a level may have had the same name.
fn sets_without_topology(caches: &Caches) -> Vec<Key> {
    let sets = caches.of::<PodCliqueSet>().all();
    let waiting = sets.iter().filter(|set| topology::says_unavailable(set));
    waiting.map(|set| Key::of(&set.metadata)).collect()
}

fn constrained_sets_on(node: &str, caches: &Caches) -> Vec<Key> {
    let is_constrained = |set: &PodCliqueSet| topology::has_constraints(&set.spec.template);
    let sets = caches.of::<PodCliqueSet>().all();
    let keys = sets
        .iter()
        .filter(|set| is_constrained(set))
        .map(|set| Key::of(&set.metadata));
    let pods = caches.of::<Pod>();
    let runs_there = |pod: &Arc<Pod>| pod.spec.node_name.as_deref() == Some(node);
    keys.filter(|set| pods.part_of(set).iter().any(runs_there))
        .collect()
}

fn owns_claims(set: &Key, caches: &Caches) -> bool {
    if !caches.of::<ComputeDomain>().part_of(set).is_empty() {
        return true;
    }
    let set = caches.of::<PodCliqueSet>().get(set);
    set.is_some_and(|set| !set.spec.template.resource_sharing.is_empty())
}

/// Groups and PodCliques have claims of their own.
fn from_claim(change: &Change<Claim>, caches: &Caches) -> Vec<Key> {
    let owners = change.versions().filter_map(|claim| {
        let owner = find::owner::<PodCliqueSet>(&claim.metadata);
        owner.or_else(|| find::adopter(&claim.metadata, labels::PART_OF))
    });
    let waiting = find::beside_foreign_claim(change, caches);
    let waiting = waiting
        .iter()
        .filter_map(|podclique| caches.set_of_member(&podclique.metadata));
    owners.chain(waiting).collect()
}

/// Labels can be edited: a pod belongs to the set that its PodClique belongs to.
fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let podcliques = find::owners::<Pod, PodClique>(change, caches);
    let of_owners = podcliques
        .iter()
        .filter_map(|c| caches.set_of_member(&c.metadata));
    find::sets(change).into_iter().chain(of_owners).collect()
}

/// Kubernetes writes the status of each one several times a minute, and no rule reads it. The
/// version is only used if a write names it: in an adoption, and when the set deletes it.
fn from_autoscaler(change: &Change<HorizontalPodAutoscaler>, caches: &Caches) -> Vec<Key> {
    let read = |autoscaler: &HorizontalPodAutoscaler| {
        let meta = &autoscaler.metadata;
        (
            autoscaler.spec.clone(),
            meta.uid.clone(),
            meta.labels.clone(),
            meta.owner_references.clone(),
            ownership::is_terminating(meta),
        )
    };
    let mut sets = find::sets(change);
    let is_adopted = change
        .newest()
        .is_some_and(|a| ownership::is_adoptable(&a.metadata));
    if change.keeps(read) && !is_adopted {
        let known = caches.of::<PodCliqueSet>();
        sets.retain(|set| {
            let set = known.get(set);
            set.is_some_and(|set| ownership::is_terminating(&set.metadata))
        });
    }
    sets
}
