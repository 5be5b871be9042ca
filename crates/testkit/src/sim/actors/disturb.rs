//! What gets in the way of requests.

use api::labels;
use serde_json::{Value, json};

use super::chaos::edit_label;
use crate::sim::resource::{Id, Resource};
use crate::sim::store::{Call, Store};
use crate::sim::{Rng, view};

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
    let is_strange = |o: &Value| {
        let is_taken = view::owner(o).is_some_and(|(kind, ..)| kind == "Service");
        is_taken || !view::label(o, STRANGE).is_empty()
    };
    let ids: Vec<Id> = store
        .objects()
        .filter(|(_, o)| is_strange(o))
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        store.remove("stranger", &id);
    }
}
