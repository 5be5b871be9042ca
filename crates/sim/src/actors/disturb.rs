//! Events that interfere with requests.

use api::labels;
use serde_json::{Value, json};

use super::chaos::{edit_label, is_unrepaired};
use crate::resource::{Id, RequestPath, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// A user changes the very object that a request in flight is about.
pub fn disturb(store: &mut Store, rng: &mut Rng, id: &Id) {
    match (id.resource, rng.below(4)) {
        // Pods that use a claim or a domain would hold it until somebody ends them.
        (Resource::ResourceClaim | Resource::ComputeDomain, _) => edit_label(store, rng, id),
        // Nobody repairs the labels of a Workload.
        (Resource::KueueWorkload, 0) => recreate(store, id, false),
        (Resource::KueueWorkload, _) => store.remove("chaos", id),
        // Pods that name a PodGroup keep it, and nobody repairs it.
        (other, _) if is_unrepaired(other) => {}
        (Resource::Pod, 0 | 1) => ungate(store, id),
        // Not for pods: users have no manifest of them, and the operator chooses their names.
        (_, 0) => recreate(store, id, rng.chance(500)),
        (Resource::Pod, 2) | (_, 1) => store.remove("chaos", id),
        _ => edit_label(store, rng, id),
    }
}

/// A user, or a second operator, removes our gate before we do.
fn ungate(store: &mut Store, id: &Id) {
    store.edit("chaos", id, |pod| {
        if let Some(gates) = pod["spec"]["schedulingGates"].as_array_mut() {
            gates.retain(|g| g["name"] != labels::POD_GANG_GATE);
        }
    });
}

/// A user deletes the PodClique of a pod that is being created. Returns whether there was one.
pub fn delete_parent(store: &mut Store, post: &Call) -> bool {
    let owner = view::owner(&post.body);
    let Some((_, name, _)) = owner.filter(|(kind, ..)| *kind == "PodClique") else {
        return false;
    };
    let mut id = Id::new(Resource::PodClique, name);
    if let Some(target) = RequestPath::parse(&post.path) {
        id.namespace = target.namespace;
    }
    store.remove("chaos", &id);
    true
}

/// Label of the objects that other users create.
const STRANGE: &str = "example.com/strange";

fn says_whose_it_is(object: &Value) -> bool {
    let is_labelled = view::label(object, labels::MANAGED_BY) == labels::MANAGER
        && view::label(object, labels::PART_OF) == view::set_of(object);
    view::owner(object).is_some() || is_labelled
}

/// Whether the PodClique has no controller and is of another attempt than the set: its owner
/// reference was removed when its replica was terminated.
fn is_left_over(store: &Store, id: &Id, object: &Value) -> bool {
    if id.resource != Resource::PodClique || view::owner(object).is_some() {
        return false;
    }
    let attempt = |key| view::label(object, key).parse().unwrap_or(0);
    let set = store.get(&id.beside(Resource::PodCliqueSet, view::set_of(object)));
    let group = id.beside(
        Resource::PodCliqueScalingGroup,
        view::label(object, labels::SCALING_GROUP),
    );
    let group_replica = view::label(object, labels::SCALING_GROUP_REPLICA_INDEX);
    let of_set = set.map(|s| view::attempt(s, view::replica(object).unwrap_or(-1)));
    let of_group = store.get(&group);
    let of_group = of_group.map(|g| view::attempt(g, group_replica.parse().unwrap_or(-1)));
    of_set.is_some_and(|present| attempt(labels::ATTEMPT) < present)
        || of_group.is_some_and(|present| attempt(labels::GROUP_ATTEMPT) < present)
}

/// `kubectl replace --force`, or another user who takes the name: another object with the same
/// name. Objects with a finalizer stay.
pub fn recreate(store: &mut Store, id: &Id, is_strange: bool) {
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

/// Other users delete the objects that they created, and leftovers without an owner are deleted:
/// the remedy that the operator requests if a name is taken.
pub fn leave(store: &mut Store) {
    let is_strange = |id: &Id, o: &Value| {
        let is_made = !matches!(id.resource, Resource::PodCliqueSet | Resource::Event)
            && !id.resource.is_of_cluster();
        let is_nobodys = !says_whose_it_is(o) || is_left_over(store, id, o);
        let is_taken = view::owner(o).is_some_and(|(kind, ..)| kind == "Service");
        is_taken || !view::label(o, STRANGE).is_empty() || (is_made && is_nobodys)
    };
    let ids: Vec<Id> = store
        .objects()
        .filter(|(id, o)| is_strange(id, o))
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        store.remove("stranger", &id);
    }
}
