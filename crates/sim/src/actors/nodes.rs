//! What happens to nodes: they go away and come back, are full or drained, and get other labels.

use serde_json::{Value, json};

use super::choice::pick_pod;
use super::placement::is_bound;
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::topology::{LEVELS, domain, find_node, nodes};
use crate::{Rng, view};

/// The controller that deletes pods of nodes that are gone.
const POD_COLLECTOR: &str = "pod collector";

/// One trouble with a node.
pub fn trouble_nodes(store: &mut Store, rng: &mut Rng) {
    let all: Vec<Id> = store
        .all(Resource::Node)
        .map(|(id, _)| id.clone())
        .collect();
    let Some(id) = rng.pick(&all) else {
        return return_one(store, rng);
    };
    match rng.below(40) {
        0..10 => store.remove("chaos", id),
        10..20 => return_one(store, rng),
        20..29 => cordon(store, id, true),
        29..39 => cordon(store, id, false),
        _ => relabel_node(store, rng, id),
    }
}

fn return_one(store: &mut Store, rng: &mut Rng) {
    let gone: Vec<Value> = gone_nodes(store).collect();
    if let Some(node) = rng.pick(&gone) {
        store.add("chaos", Resource::Node, node.clone());
    }
}

fn gone_nodes(store: &Store) -> impl Iterator<Item = Value> {
    nodes().filter(|node| find_node(store, view::name(node)).is_none())
}

/// All nodes are there again, and take pods. They keep their labels.
pub fn restore_nodes(store: &mut Store) {
    let gone: Vec<Value> = gone_nodes(store).collect();
    for node in gone {
        store.add("administrator", Resource::Node, node);
    }
    let ids: Vec<Id> = store
        .all(Resource::Node)
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        cordon(store, &id, false);
    }
}

/// Whether the scheduler gives the node no pods: it is full, or is being drained.
pub(super) fn is_closed(node: &Value) -> bool {
    node["spec"]["unschedulable"] == Value::Bool(true)
}

fn cordon(store: &mut Store, id: &Id, is_closed: bool) {
    store.edit("administrator", id, |node| {
        node["spec"]["unschedulable"] = json!(is_closed);
    });
}

/// The node moves to another zone or rack, or loses its rack.
fn relabel_node(store: &mut Store, rng: &mut Rng, id: &Id) {
    let [(_, of_zone), (_, of_rack), _] = LEVELS;
    let zone = ["z0", "z1"][rng.below(2)];
    let rack = ["r0", "r1", "r2", ""][rng.below(4)];
    store.edit("administrator", id, |node| {
        if let Some(labels) = node["metadata"]["labels"].as_object_mut() {
            labels.insert(of_zone.to_owned(), json!(zone));
            labels.insert(of_rack.to_owned(), json!(rack));
            labels.retain(|_, value| *value != "");
        }
    });
}

/// Closes all nodes of a zone, a rack or a host on which pods run. Returns whether there was one.
/// The other zone stays open.
pub fn close_domain(store: &mut Store, rng: &mut Rng) -> bool {
    let bound = pick_pod(store, rng, |pod| is_bound(pod) && view::is_live(pod));
    let pod = bound.and_then(|id| store.get(&id));
    let name = pod.map_or("", |pod| view::text(pod, "/spec/nodeName"));
    let Some(node) = find_node(store, name) else {
        return false;
    };
    let position = rng.below(LEVELS.len());
    let closed = domain(node, position);
    let is_in = |other: &Value| closed.is_some() && domain(other, position) == closed;
    let all = store.all(Resource::Node);
    let ids: Vec<Id> = all
        .filter(|(_, n)| is_in(n))
        .map(|(id, _)| id.clone())
        .collect();
    for id in &ids {
        cordon(store, id, true);
    }
    !ids.is_empty()
}

/// One pod on a closed node is evicted. Returns whether there was one.
pub fn evict_from_closed(store: &mut Store, rng: &mut Rng) -> bool {
    let runs_there = |pod: &Value| {
        let node = find_node(store, view::text(pod, "/spec/nodeName"));
        view::is_live(pod) && node.is_some_and(|node| is_closed(node))
    };
    let Some(id) = pick_pod(store, rng, runs_there) else {
        return false;
    };
    store.remove("chaos", &id);
    true
}

/// One pod whose node is gone is deleted, without waiting for a kubelet.
pub fn collect_pods(store: &mut Store, rng: &mut Rng) -> bool {
    let is_lost = |pod: &Value| {
        is_bound(pod) && find_node(store, view::text(pod, "/spec/nodeName")).is_none()
    };
    let Some(id) = pick_pod(store, rng, is_lost) else {
        return false;
    };
    let path = format!("{}/{}", Resource::Pod.path(&id.namespace), id.name);
    let options = json!({"gracePeriodSeconds": 0});
    store.handle(POD_COLLECTOR, &Call::new("DELETE", &path, options));
    true
}

/// Whether the node has all labels that the pod asks for.
pub(super) fn is_selected(node: &Value, pod: &Value) -> bool {
    let asked = view::at(pod, "/spec/nodeSelector").and_then(Value::as_object);
    asked
        .into_iter()
        .flatten()
        .all(|(key, value)| value.as_str() == Some(view::label(node, key)))
}
