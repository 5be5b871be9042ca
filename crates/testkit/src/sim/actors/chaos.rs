//! Everything that goes wrong in a cluster without any request of the operator failing.

use api::labels;
use serde_json::{Value, json};

use super::cluster::pick;
use crate::sim::resource::{Id, Resource};
use crate::sim::store::{Call, Store};
use crate::sim::{Rng, view};

const CHILDREN: [Resource; 7] = [
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
    Resource::PodGang,
    Resource::Service,
    Resource::ServiceAccount,
    Resource::Role,
    Resource::RoleBinding,
];

/// One piece of trouble.
pub fn make_trouble(store: &mut Store, rng: &mut Rng) {
    match rng.below(10) {
        0..=2 => evict(store, rng),
        3 | 4 => fail(store, rng),
        5 => unready(store, rng),
        6 => relabel(store, rng),
        7 => delete_child(store, rng),
        8 => edit_child(store, rng),
        _ => gate(store, rng),
    }
}

fn evict(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick(store, rng, view::is_live) {
        store.remove("chaos", &id);
    }
}

fn fail(store: &mut Store, rng: &mut Rng) {
    let is_running = |p: &Value| view::is_live(p) && view::text(p, "/status/phase") == "Running";
    if let Some(id) = pick(store, rng, is_running) {
        let time = store.now.to_string();
        let phase = if rng.chance(700) {
            "Failed"
        } else {
            "Succeeded"
        };
        store.edit("chaos", &id, |pod| {
            pod["status"]["phase"] = json!(phase);
            pod["status"]["conditions"] = json!([
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": time},
                {"type": "Ready", "status": "False", "lastTransitionTime": time},
            ]);
        });
    }
}

fn unready(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick(store, rng, view::is_ready) {
        store.edit("chaos", &id, |pod| {
            pod["status"]["conditions"] = json!([
                {"type": "PodScheduled", "status": "True"},
                {"type": "Ready", "status": "False"},
            ]);
        });
    }
}

/// Somebody does something to the very object that a request is on its way to.
pub fn disturb(store: &mut Store, rng: &mut Rng, id: &Id) {
    let is_pod = id.resource == Resource::Pod;
    match rng.below(4) {
        // Nobody has a manifest of a pod, and its name is the operator's.
        0 if is_pod => ungate(store, id),
        0 => recreate(store, id, rng.chance(500)),
        1 => store.remove("chaos", id),
        _ => edit_label(store, rng, id),
    }
}

/// Somebody is impatient, or a second operator runs: our gate is gone before we take it off.
fn ungate(store: &mut Store, id: &Id) {
    store.edit("chaos", id, |pod| {
        if let Some(gates) = pod["spec"]["schedulingGates"].as_array_mut() {
            gates.retain(|g| g["name"] != labels::POD_GANG_GATE);
        }
    });
}

/// What strangers make bears this label.
const STRANGE: &str = "example.com/strange";

/// `kubectl replace --force`, or a stranger who wants the name: another object with the same name.
/// What has a finalizer stays.
fn recreate(store: &mut Store, id: &Id, is_strange: bool) {
    let Some(before) = store.get(id).cloned() else {
        return;
    };
    store.remove("chaos", id);
    let mut manifest = (*before).clone();
    if let Some(meta) = manifest["metadata"].as_object_mut() {
        meta.remove("resourceVersion");
        if is_strange {
            meta.remove("ownerReferences");
            meta.insert("labels".to_owned(), json!({STRANGE: "yes"}));
        }
    }
    let path = id.resource.path(&id.namespace);
    store.handle("chaos", &Call::new("POST", &path, manifest));
}

/// Strangers take away what they made.
pub fn leave(store: &mut Store) {
    let is_strange = |o: &Value| !view::label(o, STRANGE).is_empty();
    let ids: Vec<Id> = store
        .objects()
        .filter(|(_, o)| is_strange(o))
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        store.remove("stranger", &id);
    }
}

/// Somebody edits the labels of a pod or another child by hand.
fn relabel(store: &mut Store, rng: &mut Rng) {
    let ids: Vec<Id> = store
        .objects()
        .filter(|(_, o)| view::owner(o).is_some() && !view::is_terminating(o))
        .map(|(id, _)| id.clone())
        .collect();
    if let Some(id) = rng.pick(&ids) {
        edit_label(store, rng, id);
    }
}

fn edit_label(store: &mut Store, rng: &mut Rng, id: &Id) {
    const KEYS: [&str; 5] = [
        labels::MANAGED_BY,
        labels::PART_OF,
        labels::POD_CLIQUE,
        labels::POD_GANG,
        labels::PCS_REPLICA_INDEX,
    ];
    let Some(key) = rng.pick(&KEYS) else { return };
    let is_stripped = rng.chance(500);
    store.edit("chaos", id, |object| {
        let Some(labels) = object["metadata"]["labels"].as_object_mut() else {
            return;
        };
        if is_stripped {
            labels.remove(*key);
        } else if labels.contains_key(*key) {
            labels.insert((*key).to_owned(), json!("edited"));
        }
    });
}

fn child(store: &Store, rng: &mut Rng) -> Option<Id> {
    let ids: Vec<Id> = store
        .objects()
        .map(|(id, _)| id)
        .filter(|id| CHILDREN.contains(&id.resource))
        .cloned()
        .collect();
    rng.pick(&ids).cloned()
}

fn delete_child(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = child(store, rng) {
        store.remove("chaos", &id);
    }
}

/// Adds what is foreign, which has to stay, and breaks what is the operator's.
fn edit_child(store: &mut Store, rng: &mut Rng) {
    let Some(id) = child(store, rng) else { return };
    let is_broken = rng.chance(500);
    store.edit("chaos", &id, |object| {
        object["metadata"]["annotations"]["example.com/note"] = json!("keep me");
        if !is_broken {
            return;
        }
        match id.resource {
            Resource::PodGang => {
                if let Some(group) = object.pointer_mut("/spec/podgroups/0/podReferences") {
                    *group = json!([]);
                }
            }
            Resource::Role => object["rules"] = json!([]),
            Resource::Service => object["spec"]["publishNotReadyAddresses"] = json!(false),
            _ => {}
        }
    });
}

/// Another controller puts a gate of its own on a pod.
fn gate(store: &mut Store, rng: &mut Rng) {
    let is_gated = |p: &Value| view::is_live(p) && !view::gates(p).is_empty();
    let Some(id) = pick(store, rng, is_gated) else {
        return;
    };
    store.edit("chaos", &id, |pod| {
        pod["metadata"]["annotations"]["example.com/note"] = json!("keep me");
    });
}
