//! Planned objects beside those that the operator made.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same, subset};

/// What pods' names end in.
const ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";

/// The kinds that are planned and looked at.
const KINDS: [&str; 6] = [
    "PodCliqueScalingGroup",
    "PodClique",
    "PodGang",
    "Service",
    "HorizontalPodAutoscaler",
    "Pod",
];

/// Fails unless what is there is what was planned, field by field: of these kinds the same objects,
/// each with all that its plan has.
pub fn expect_planned(seen: &Seen, planned: &[Value]) -> Result<(), String> {
    KINDS.iter().try_for_each(|kind| {
        let planned = by_slot(planned.iter().filter(|o| o["kind"] == *kind).cloned());
        let found = by_slot(seen.all(kind).into_iter().map(as_planned));
        let slots = |objects: &BTreeMap<String, Value>| objects.keys().cloned().collect::<Vec<_>>();
        same(kind, &slots(&found), &slots(&planned))?;
        found
            .iter()
            .try_for_each(|(slot, object)| subset(slot, object, &planned[slot]))
    })
}

/// Objects by what tells them apart: pods by their host names.
fn by_slot(objects: impl Iterator<Item = Value>) -> BTreeMap<String, Value> {
    let slot = |object: &Value| match object["spec"]["hostname"].as_str() {
        Some(hostname) => hostname.to_owned(),
        None => name(object).to_owned(),
    };
    let all: Vec<Value> = objects.collect();
    let by_slot: BTreeMap<String, Value> = all.iter().map(|o| (slot(o), o.clone())).collect();
    assert_eq!(by_slot.len(), all.len(), "two objects of one name");
    by_slot
}

/// An object of the cluster without the random ends of pods' names, and without the volume of the
/// ServiceAccount that the API server adds to each pod.
fn as_planned(object: &Value) -> Value {
    let mut object = object.clone();
    let groups = object.pointer_mut("/spec/podgroups");
    let groups = groups.and_then(Value::as_array_mut).into_iter().flatten();
    for reference in groups.flat_map(|group| group["podReferences"].as_array_mut().unwrap()) {
        reference["name"] = pattern(&reference["name"]);
    }
    if object["kind"] == "Pod" {
        object["metadata"]["name"] = pattern(&object["metadata"]["name"]);
        leave_out_token(&mut object["spec"]);
    }
    object
}

fn pattern(name: &Value) -> Value {
    let name = name.as_str().unwrap();
    let (podclique, end) = name.rsplit_once('-').unwrap();
    let is_ours = end.len() == 5 && end.chars().all(|c| ALPHABET.contains(c));
    assert!(is_ours, "{name}");
    json!(format!("{podclique}-?????"))
}

fn leave_out_token(spec: &mut Value) {
    const TOKEN: &str = "kube-api-access-";
    let is_token = |item: &Value| item["name"].as_str().unwrap_or_default().starts_with(TOKEN);
    let leave_out = |list: &mut Value| {
        if let Some(items) = list.as_array_mut() {
            items.retain(|item| !is_token(item));
        }
    };
    leave_out(&mut spec["volumes"]);
    for containers in ["containers", "initContainers"] {
        let containers = spec[containers].as_array_mut().into_iter().flatten();
        containers.for_each(|container| leave_out(&mut container["volumeMounts"]));
    }
}

/// Image of the init container, as the operator here is told.
pub fn init_container_image(ns: &Namespace<'_>) -> String {
    let path =
        "{.spec.template.spec.containers[0].env[?(@.name=='GROVE_INIT_CONTAINER_IMAGE')].value}";
    let output = format!("--output=jsonpath={path}");
    let deployment = [
        "get",
        "deployment/grove-operator",
        "--namespace=grove-system",
        &output,
    ];
    ns.control_plane.kubectl(deployment)
}
