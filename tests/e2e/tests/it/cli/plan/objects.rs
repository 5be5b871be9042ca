//! Planned objects compared with the operator's.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::control_plane::fed;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same, subset};

/// The letters of the random end of a pod's name.
const ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";

/// The planned kinds that are compared.
const KINDS: [&str; 6] = [
    "PodCliqueScalingGroup",
    "PodClique",
    "PodGang",
    "Service",
    "HorizontalPodAutoscaler",
    "Pod",
];

/// The planned objects of this file.
pub fn plan_file(ns: &Namespace<'_>, path: &str, more: &[&str]) -> Vec<Value> {
    let image = init_container_image(ns);
    let mut args = vec!["plan", path, "--output=json", &image];
    args.extend(more);
    objects_of(&ns.grove(&args))
}

/// The planned objects of this manifest.
pub fn plan_manifest(ns: &Namespace<'_>, manifest: &Value) -> Vec<Value> {
    let image = init_container_image(ns);
    let args = ["plan", "-", "--output=json", &image];
    let output = fed(&mut ns.grove_command(&args), manifest);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    objects_of(&String::from_utf8(output.stdout).unwrap())
}

/// The objects of a plan of one set; each pod is in one gang.
fn objects_of(plan: &str) -> Vec<Value> {
    let plan: Value = serde_json::from_str(plan).unwrap();
    let sets = plan["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 1, "sets");
    let objects = sets[0]["objects"].as_array().unwrap().clone();
    let pods = objects.iter().filter(|o| o["kind"] == "Pod").count();
    let gangs = sets[0]["gangs"].as_array().unwrap().iter();
    let of_gangs: i64 = gangs
        .flat_map(|gang| [&gang["guaranteedPods"], &gang["bestEffortPods"]])
        .map(|pods| pods.as_i64().unwrap())
        .sum();
    assert_eq!(of_gangs, i64::try_from(pods).unwrap(), "pods of all gangs");
    objects
}

/// Fails unless the existing objects equal the planned ones, field by field: of these kinds the
/// same objects, each with all planned fields.
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

/// Objects by identity: pods by their host names.
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

/// The option with the init container's image of this operator.
fn init_container_image(ns: &Namespace<'_>) -> String {
    let path =
        "{.spec.template.spec.containers[0].env[?(@.name=='GROVE_INIT_CONTAINER_IMAGE')].value}";
    let output = format!("--output=jsonpath={path}");
    let deployment = [
        "get",
        "deployment/grove-operator",
        "--namespace=grove-system",
        &output,
    ];
    let image = ns.control_plane.kubectl(deployment);
    format!("--init-container-image={image}")
}
