//! A scheduler that reads PodGangs: the required pods of a gang get nodes at once or not at all,
//! and one gang may lose its nodes to other workloads.

mod domains;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::devices;
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, view};
use domains::Binding;

/// The node of all pods in a cluster without a topology.
pub(super) const ANY_NODE: &str = "node-1";

/// Gives nodes to the pods that one PodGang still needs, or else to one more of its pods, as long
/// as no more than `capacity` pods have one.
pub fn place_gang(store: &mut Store, rng: &mut Rng, capacity: usize) -> bool {
    let gangs = store.all(Resource::PodGang);
    let waiting: Vec<Vec<Id>> = gangs
        .filter_map(|(id, gang)| next(store, id, gang))
        .collect();
    let free = capacity.saturating_sub(placed(store));
    let Some(pods) = rng.pick(&waiting).filter(|pods| pods.len() <= free) else {
        return false;
    };
    for pod in pods {
        bind_pod(store, pod, ANY_NODE);
    }
    true
}

/// The same in a cluster with a topology: pods that are placed together share the domains that
/// their PodGang requires, and no pod is placed where its node selector does not allow it.
pub fn place_gang_in_domains(store: &mut Store, rng: &mut Rng, capacity: usize) -> bool {
    let free = capacity.saturating_sub(placed(store));
    let possible: Vec<Vec<Binding>> = store
        .all(Resource::PodGang)
        .flat_map(|(id, gang)| {
            let batches = batches(store, id, gang).into_iter();
            batches.map(move |batch| (gang, batch))
        })
        .filter(|(_, batch)| batch.len() <= free)
        .filter_map(|(gang, batch)| domains::choose(store, rng, gang, &batch))
        .collect();
    let Some(bindings) = rng.pick(&possible) else {
        return false;
    };
    for (pod, node) in bindings {
        bind_pod(store, pod, node);
    }
    true
}

/// All pods of a gang that have nodes are evicted; returns how many.
pub fn preempt_gang(store: &mut Store, rng: &mut Rng) -> usize {
    let running: Vec<Vec<Id>> = store
        .all(Resource::PodGang)
        .map(|(id, gang)| {
            let pods = view::list(gang, "/spec/podgroups").flat_map(|g| listed(store, id, g));
            pods.filter(|(_, p)| is_bound(p) && view::is_live(p))
                .map(|(pod, _)| pod)
                .collect::<Vec<Id>>()
        })
        .filter(|pods| !pods.is_empty())
        .collect();
    let victims = rng.pick(&running).cloned().unwrap_or_default();
    for pod in &victims {
        evict(store, pod);
    }
    victims.len()
}

/// The pod is given a node.
pub(super) fn bind_pod(store: &mut Store, id: &Id, node: &str) {
    devices::allocate(store, id);
    let time = store.stamp();
    store.edit("scheduler", id, |pod| {
        pod["spec"]["nodeName"] = json!(node);
        pod["status"]["conditions"] =
            json!([{"type": "PodScheduled", "status": "True", "lastTransitionTime": time}]);
    });
}

/// How many pods have nodes.
pub fn placed(store: &Store) -> usize {
    let pods = store.all(Resource::Pod);
    pods.filter(|(_, p)| is_bound(p) && !view::is_finished(p))
        .count()
}

pub(super) fn is_bound(pod: &Value) -> bool {
    !view::text(pod, "/spec/nodeName").is_empty()
}

fn evict(store: &mut Store, pod: &Id) {
    let time = store.stamp();
    store.edit("scheduler", pod, |pod| {
        let why = json!({"type": "DisruptionTarget", "status": "True",
            "reason": "PreemptionByScheduler", "lastTransitionTime": time});
        if let Some(conditions) = pod["status"]["conditions"].as_array_mut() {
            conditions.push(why);
        }
    });
    store.remove("scheduler", pod);
}

/// All pods that the gang still needs; if it has them, one more pod.
fn next(store: &Store, id: &Id, gang: &Value) -> Option<Vec<Id>> {
    batches(store, id, gang).into_iter().next()
}

/// What may be placed next: all pods that the gang still needs; if it has them, any one more pod.
fn batches(store: &Store, id: &Id, gang: &Value) -> Vec<Vec<Id>> {
    let parts: Vec<WaitingPodGroup> = view::list(gang, "/spec/podgroups")
        .map(|group| WaitingPodGroup::of(store, id, gang, group))
        .collect();
    if parts.iter().any(|part| part.ready.len() < part.needed) {
        return Vec::new();
    }
    let needed: Vec<Id> = parts
        .iter()
        .flat_map(|part| part.ready.iter().take(part.needed))
        .cloned()
        .collect();
    if !needed.is_empty() {
        return vec![needed];
    }
    let ready = parts.into_iter().flat_map(|part| part.ready);
    ready.map(|pod| vec![pod]).collect()
}

/// A podgroup: how many pods it needs besides those that have nodes or have done their work, and
/// the pods that could get one.
struct WaitingPodGroup {
    needed: usize,
    ready: Vec<Id>,
}

impl WaitingPodGroup {
    fn of(store: &Store, id: &Id, gang: &Value, group: &Value) -> Self {
        let called = view::text(group, "/name");
        if is_latched(store, id, gang, called) {
            return Self {
                needed: 0,
                ready: Vec::new(),
            };
        }
        let named =
            |(_, q): &(&Id, &Stored)| view::name(q) == called && view::namespace(q) == id.namespace;
        let podclique = store.all(Resource::PodClique).find(named);
        let mut done: BTreeSet<i64> =
            podclique.map_or_else(BTreeSet::new, |(_, q)| view::completed(q));
        let (mut placed, mut ready) = (0, Vec::new());
        for (pod, seen) in listed(store, id, group) {
            if view::is_completed(seen) {
                done.extend(view::index(seen));
            } else if view::is_live(seen) && is_bound(seen) {
                placed += 1;
            } else if view::is_live(seen)
                && view::gates(seen).is_empty()
                && devices::has_claims(store, seen)
            {
                ready.push(pod);
            }
        }
        let minimum = usize::try_from(view::number(group, "/minReplicas")).unwrap_or(0);
        Self {
            needed: minimum.saturating_sub(done.len() + placed),
            ready,
        }
    }
}

/// Whether the set has stored that the part has done its work.
fn is_latched(store: &Store, id: &Id, gang: &Value, part: &str) -> bool {
    let mut set = Id::new(Resource::PodCliqueSet, view::set_of(gang));
    set.namespace.clone_from(&id.namespace);
    let replica = view::replica(gang).unwrap_or(-1);
    store
        .get(&set)
        .is_some_and(|set| view::is_latched(set, replica, part))
}

/// The pods that the podgroup lists and that exist.
fn listed<'a>(
    store: &'a Store,
    gang: &'a Id,
    group: &'a Value,
) -> impl Iterator<Item = (Id, &'a Stored)> {
    view::list(group, "/podReferences").filter_map(|reference| {
        let mut id = Id::new(Resource::Pod, view::text(reference, "/name"));
        id.namespace.clone_from(&gang.namespace);
        let pod = store.get(&id)?;
        Some((id, pod))
    })
}
