//! The types keep every field of the definitions: reading and writing loses none.

use std::collections::BTreeSet;

use api::{ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, crds};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::sample;

/// Manifests with every field of every kind; another test creates them on a real API server (see
/// the file).
const EVERY_FIELD: &str = include_str!("fixtures/every-field.yaml");

/// Structures of Kubernetes: the manifests need not name all of their fields.
const EMBEDDED: [&str; 3] = [".podSpec", ".metrics[]", ".templateSpec"];

fn root(kind: &str) -> Value {
    let crds = crds::all();
    let crd = crds.iter().find(|c| c.spec.names.kind == kind).unwrap();
    let schema = crd.spec.versions[0].schema.as_ref().unwrap();
    serde_json::to_value(schema.open_api_v3_schema.as_ref().unwrap()).unwrap()
}

fn manifests() -> Vec<Value> {
    serde_saphyr::from_multiple(EVERY_FIELD).unwrap()
}

fn read_and_write<T: DeserializeOwned + Serialize>(value: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<T>(value.clone()).unwrap()).unwrap()
}

fn through_our_types(value: &Value) -> Value {
    match value["kind"].as_str().unwrap() {
        "PodCliqueSet" => read_and_write::<PodCliqueSet>(value),
        "PodCliqueScalingGroup" => read_and_write::<PodCliqueScalingGroup>(value),
        "PodClique" => read_and_write::<PodClique>(value),
        "PodGang" => read_and_write::<PodGang>(value),
        "ClusterTopologyBinding" => read_and_write::<ClusterTopologyBinding>(value),
        other => panic!("unknown kind {other}"),
    }
}

#[test]
fn every_field_of_the_definitions_survives() {
    for crd in crds::all() {
        let kind = &crd.spec.names.kind;
        let mut object = sample::of("", &root(kind));
        object["apiVersion"] = json!(format!("{}/v1alpha1", crd.spec.group));
        object["kind"] = json!(kind);
        object["metadata"] = json!({"name": "sample"});
        assert_same(&object, &through_our_types(&object));
    }
}

#[test]
fn the_manifests_survive() {
    for manifest in manifests() {
        assert_same(&manifest, &through_our_types(&manifest));
    }
}

#[test]
fn the_manifests_have_every_field() {
    let mut written = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for manifest in manifests() {
        let kind = manifest["kind"].as_str().unwrap();
        written.extend(paths_of_value(kind, &manifest));
        defined.extend(paths_of_schema(kind, &root(kind)));
    }
    // Refused on new objects, and together with pack.required.
    defined.retain(|path| !path.ends_with(".packDomain"));
    let lacking: Vec<_> = defined.difference(&written).collect();
    assert!(lacking.is_empty(), "not in every-field.yaml: {lacking:#?}");
}

/// Fields with a default may be added; no field may change or get lost.
fn assert_same(before: &Value, after: &Value) {
    let lost = lost("", before, after);
    assert!(lost.is_empty(), "lost or changed: {lost:#?}");
}

fn lost(path: &str, before: &Value, after: &Value) -> Vec<String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .flat_map(|(key, value)| {
                let other = after.get(key).unwrap_or(&Value::Null);
                lost(&format!("{path}.{key}"), value, other)
            })
            .collect(),
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => before
            .iter()
            .zip(after)
            .flat_map(|(value, other)| lost(&format!("{path}[]"), value, other))
            .collect(),
        _ if before == after => Vec::new(),
        _ => vec![format!("{path}: {before} became {after}")],
    }
}

fn paths_of_value(path: &str, value: &Value) -> Vec<String> {
    let mut paths = vec![path.to_owned()];
    if EMBEDDED.iter().any(|end| path.ends_with(end)) {
        return paths;
    }
    for (key, child) in value.as_object().into_iter().flatten() {
        paths.extend(paths_of_value(&format!("{path}.{key}"), child));
    }
    for child in value.as_array().into_iter().flatten() {
        paths.extend(paths_of_value(&format!("{path}[]"), child));
    }
    paths
}

fn paths_of_schema(path: &str, schema: &Value) -> Vec<String> {
    let mut paths = vec![path.to_owned()];
    if EMBEDDED.iter().any(|end| path.ends_with(end)) {
        return paths;
    }
    for (key, child) in schema["properties"].as_object().into_iter().flatten() {
        paths.extend(paths_of_schema(&format!("{path}.{key}"), child));
    }
    if schema["items"].is_object() {
        paths.extend(paths_of_schema(&format!("{path}[]"), &schema["items"]));
    }
    paths
}
