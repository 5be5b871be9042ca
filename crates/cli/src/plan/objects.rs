//! Objects without the parts that are unknown before: uids, versions, times, and the random end of
//! pods' names.

use std::collections::BTreeMap;

use api::{PodClique, PodCliqueScalingGroup, PodGang, labels};
use domain::plan::Kind;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
use serde_json::Value;

use super::world::World;
use crate::json;

/// Fields that the API server, or time, sets.
const UNKNOWN: [&str; 5] = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
];

/// Kinds whose objects are given: users or others write them.
const INPUTS: [&str; 6] = [
    "ClusterTopologyBinding",
    "Node",
    "PodCliqueSet",
    "Queue",
    "ResourceClaimTemplate",
    "Topology",
];

/// Begins the uid of every object that was created here.
const MADE: &str = "plan-";

/// The name of a new pod of this PodClique.
pub fn pod_pattern(podclique: &str) -> String {
    format!("{podclique}-?????")
}

/// The name of the pod; the end of a new pod's name is unknown.
pub fn name_of_pod(pod: &Value) -> String {
    if is_made(pod) {
        return pod_pattern(json::label(pod, labels::POD_CLIQUE));
    }
    json::meta(pod, "name").to_owned()
}

/// Whether the object is new.
pub fn is_made(object: &Value) -> bool {
    json::meta(object, "uid").starts_with(MADE)
}

/// All objects but the set itself, kind after kind, by name.
pub fn list_objects(world: &World) -> Vec<Value> {
    let first = [
        Kind::of::<PodCliqueScalingGroup>(),
        Kind::of::<PodClique>(),
        Kind::of::<PodGang>(),
        Kind::of::<Service>(),
        Kind::of::<HorizontalPodAutoscaler>(),
        Kind::of::<Pod>(),
    ];
    let names: BTreeMap<&str, String> = world
        .stored(Kind::of::<Pod>())
        .map(|(key, pod)| (key.name.as_str(), name_of_pod(pod)))
        .collect();
    let rank = |kind: Kind| first.iter().position(|known| *known == kind);
    let mut all: Vec<_> = world
        .objects()
        .iter()
        .filter(|((kind, _), object)| {
            let is_input = INPUTS.contains(&kind.name());
            // A copy of the templates in the manifest.
            let is_copy = *kind == Kind::of::<ControllerRevision>();
            !is_input && !is_copy && !json::is_terminating(object)
        })
        .collect();
    // The order of names of new pods means nothing.
    all.sort_by_cached_key(|((kind, key), object)| {
        let rank = rank(*kind).unwrap_or(first.len());
        let slot = slot_of(object);
        (rank, kind.name(), slot, key.name.clone())
    });
    all.into_iter()
        .map(|(_, object)| tidy(object, &names))
        .collect()
}

/// PodClique and index of a pod.
fn slot_of(object: &Value) -> (String, u64) {
    let index = json::label(object, labels::POD_INDEX).parse();
    let podclique = json::label(object, labels::POD_CLIQUE);
    (podclique.to_owned(), index.unwrap_or(0))
}

fn tidy(object: &Value, names: &BTreeMap<&str, String>) -> Value {
    let mut next = object.clone();
    json::remove(&mut next, "", "status");
    for field in UNKNOWN {
        json::remove(&mut next, "/metadata", field);
    }
    for owner in json::items_mut(&mut next, "/metadata/ownerReferences") {
        json::remove(owner, "", "uid");
    }
    match json::text(object, "/kind") {
        "Pod" => tidy_pod(&mut next, object),
        "PodGang" => tidy_gang(&mut next, names),
        _ => {}
    }
    next
}

/// Removes the node, which the scheduler chooses, and fields that depend on times and uids.
fn tidy_pod(next: &mut Value, pod: &Value) {
    json::set(next, "/metadata", "name", name_of_pod(pod).into());
    json::remove(next, "/spec", "nodeName");
    json::remove(next, "/metadata/annotations", labels::START_AT);
    forget_pin(next);
    for list in ["/spec/containers", "/spec/initContainers"] {
        for container in json::items_mut(next, list) {
            forget_attempt(container);
        }
    }
    if json::items(next, "/spec/schedulingGates").next().is_none() {
        json::remove(next, "/spec", "schedulingGates");
    }
}

/// The variable begins with the uid of the set, which a new one does not have.
fn forget_attempt(container: &mut Value) {
    for variable in json::items_mut(container, "/env") {
        let is_attempt = json::text(variable, "/name") == labels::env::ATTEMPT;
        if is_attempt && json::text(variable, "/value").starts_with(MADE) {
            json::remove(variable, "", "value");
        }
    }
}

/// Removes the node labels of the topology domain that the scheduler chooses.
fn forget_pin(pod: &mut Value) {
    let pin: Option<BTreeMap<String, String>> =
        serde_json::from_str(json::annotation(pod, labels::PINNED)).ok();
    json::remove(pod, "/metadata/annotations", labels::PINNED);
    for key in pin.iter().flat_map(BTreeMap::keys) {
        json::remove(pod, "/spec/nodeSelector", key);
    }
    let selector = json::at(pod, "/spec/nodeSelector").as_object();
    if selector.is_some_and(serde_json::Map::is_empty) {
        json::remove(pod, "/spec", "nodeSelector");
    }
}

fn tidy_gang(gang: &mut Value, names: &BTreeMap<&str, String>) {
    for group in json::items_mut(gang, "/spec/podgroups") {
        json::remove(group, "", "placements");
        for pod in json::items_mut(group, "/podReferences") {
            if let Some(name) = names.get(json::text(pod, "/name")) {
                json::set(pod, "", "name", name.clone().into());
            }
        }
    }
}
