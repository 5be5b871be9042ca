//! Everything that goes wrong in a cluster although all requests of the operator succeed.

use api::labels;
use serde_json::{Value, json};

use super::choice::pick_pod;
use super::kubelet::{BROKEN, crash, is_broken, mend};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, queue, view};

const CHILDREN: [Resource; 5] = [
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
    Resource::PodGang,
    Resource::Service,
    Resource::HorizontalPodAutoscaler,
];

/// Causes one problem.
pub fn make_trouble(store: &mut Store, rng: &mut Rng) {
    refuse_one(store, &mut rng.fork());
    match rng.below(13) {
        0..=2 => evict(store, rng),
        3 | 4 => fail(store, rng),
        5 if rng.fork().chance(700) => crash(store, rng),
        5 => unready(store, rng),
        6 => relabel(store, rng),
        7 => delete_child(store, rng),
        8 => edit_child(store, rng),
        9 => break_one(store, rng),
        10 => heal_one(store, rng),
        11 => cut_loose(store, rng),
        _ => gate(store, rng),
    }
}

/// An admission policy begins or ceases to refuse pods of some template.
fn refuse_one(store: &mut Store, own: &mut Rng) {
    if own.chance(150) {
        let version = own.between(1, 5).to_string();
        if store.refused.remove(&version).is_none() {
            store.refused.insert(version, store.log.len());
        }
    }
}

fn evict(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick_pod(store, rng, view::is_live) {
        store.remove("chaos", &id);
    }
}

fn fail(store: &mut Store, rng: &mut Rng) {
    let is_running = |p: &Value| view::is_live(p) && view::text(p, "/status/phase") == "Running";
    if let Some(id) = pick_pod(store, rng, is_running) {
        let time = store.stamp();
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
    if let Some(id) = pick_pod(store, rng, view::is_ready) {
        let time = store.stamp();
        store.edit("chaos", &id, |pod| {
            pod["status"]["conditions"] = json!([
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": time},
                {"type": "Ready", "status": "False", "lastTransitionTime": time},
            ]);
        });
    }
}

/// A pod is not Ready until the faults are repaired.
fn break_one(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick_pod(store, rng, view::is_ready) {
        break_pod(store, &id);
    }
}

/// The pod stays not Ready until the faults are repaired.
pub fn break_pod(store: &mut Store, id: &Id) {
    store.edit("chaos", id, |pod| {
        pod["metadata"]["annotations"][BROKEN] = json!("yes");
        pod["status"]["conditions"] = json!([
            {"type": "PodScheduled", "status": "True"},
            {"type": "Ready", "status": "False"},
        ]);
    });
}

fn heal_one(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick_pod(store, rng, is_broken) {
        heal_pod(store, &id);
    }
}

fn heal_pod(store: &mut Store, id: &Id) {
    store.edit("chaos", id, |pod| {
        if let Some(annotations) = pod["metadata"]["annotations"].as_object_mut() {
            annotations.remove(BROKEN);
        }
    });
}

/// The node of a running pod is lost and the pod is deleted: no kubelet confirms its end.
pub fn lose_node(store: &mut Store, rng: &mut Rng) {
    if let Some(id) = pick_pod(store, rng, view::is_ready) {
        store.remove("chaos", &id);
    }
}

/// Repairs everything that was broken.
pub fn heal(store: &mut Store) {
    store.refused.clear();
    let ids: Vec<Id> = store
        .all(Resource::Pod)
        .filter(|(_, p)| is_broken(p))
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        heal_pod(store, &id);
    }
    mend(store);
}

/// Objects for a scheduler or a queue, which nobody repairs.
pub(super) fn is_unrepaired(resource: Resource) -> bool {
    matches!(
        resource,
        Resource::KueueWorkload
            | Resource::PodGroup
            | Resource::CompositePodGroup
            | Resource::Workload
    )
}

/// A user edits the labels of a pod or another child by hand. Not of a Workload or PodGroup, which nobody
/// repairs.
fn relabel(store: &mut Store, rng: &mut Rng) {
    let is_child =
        |(id, o): &(&Id, &Stored)| view::owner(o).is_some() && !is_unrepaired(id.resource);
    let ids: Vec<Id> = store
        .objects()
        .filter(is_child)
        .map(|(id, _)| id.clone())
        .collect();
    if let Some(id) = rng.pick(&ids) {
        edit_label(store, rng, id);
    }
}

/// A user edits the owner references of a child. Not of a claim or a domain: if it was deleted later, as
/// nobody's, pods that use it would hold it, and somebody would have to end them. Not of a Workload either:
/// it would keep its quota, for nobody.
fn cut_loose(store: &mut Store, rng: &mut Rng) {
    let is_child = |(id, o): &(&Id, &Stored)| {
        let is_left_alone = matches!(
            id.resource,
            Resource::ResourceClaim | Resource::ComputeDomain | Resource::ResourceClaimTemplate
        ) || is_unrepaired(id.resource);
        view::owner(o).is_some() && !view::is_terminating(o) && !is_left_alone
    };
    let ids: Vec<Id> = store
        .objects()
        .filter(is_child)
        .map(|(id, _)| id.clone())
        .collect();
    if let Some(id) = rng.pick(&ids) {
        let owners = another(store, rng, &id.namespace);
        store.edit("chaos", id, |object| {
            object["metadata"]["ownerReferences"] = owners;
        });
    }
}

/// Mostly no owner; sometimes another existing controller becomes the owner.
fn another(store: &Store, rng: &mut Rng, namespace: &str) -> Value {
    let services: Vec<_> = store
        .all(Resource::Service)
        .filter(|(id, _)| id.namespace == namespace)
        .map(|(_, s)| s)
        .collect();
    match rng.pick(&services).filter(|_| rng.fork().chance(200)) {
        None => json!([]),
        Some(service) => json!([{
            "apiVersion": "v1", "kind": "Service", "controller": true,
            "name": view::name(service), "uid": view::uid(service),
        }]),
    }
}

pub(super) fn edit_label(store: &mut Store, rng: &mut Rng, id: &Id) {
    const KEYS: [&str; 5] = [
        labels::MANAGED_BY,
        labels::PART_OF,
        labels::POD_CLIQUE,
        labels::POD_GANG,
        labels::PCS_REPLICA_INDEX,
    ];
    let Some(key) = rng.pick(&KEYS) else { return };
    let is_stripped = rng.chance(500);
    if counts_quota(store, id, key) {
        return;
    }
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

/// Whether the operator counts the pods that use quota by this label. Only users edit it, and nobody counts a
/// pod without it: its quota is given back while it runs, until the label is back.
fn counts_quota(store: &Store, id: &Id, key: &str) -> bool {
    let is_of_gang = matches!(id.resource, Resource::Pod | Resource::PodGang);
    let is_counted = [labels::PART_OF, labels::POD_CLIQUE, labels::POD_GANG].contains(&key);
    let is_queued = || {
        store
            .objects()
            .any(|(_, object)| queue::names_queue(object))
    };
    is_of_gang && is_counted && is_queued()
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

/// Adds foreign content, which has to stay, and breaks content of the operator.
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
            Resource::Service => object["spec"]["publishNotReadyAddresses"] = json!(false),
            Resource::HorizontalPodAutoscaler => {
                object["spec"]["maxReplicas"] = json!(3);
                object["spec"]["metrics"] = json!([]);
            }
            _ => {}
        }
    });
}

/// Another controller puts a gate of its own on a pod.
fn gate(store: &mut Store, rng: &mut Rng) {
    let is_gated = |p: &Value| view::is_live(p) && !view::gates(p).is_empty();
    let Some(id) = pick_pod(store, rng, is_gated) else {
        return;
    };
    store.edit("chaos", &id, |pod| {
        pod["metadata"]["annotations"]["example.com/note"] = json!("keep me");
    });
}
