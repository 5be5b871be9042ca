//! An archive contains no text of a pod, except names, images and quantities.

use std::io::Read;
use std::sync::LazyLock;

use api::PodCliqueSet;
use cli::bundle::{Collected, CollectedKind, compose, pack};
use flate2::read::GzDecoder;
use kube::CustomResourceExt;
use kube::core::ApiResource;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use testkit::builders::EPOCH;

/// Fields of names and images, which an archive may show.
const NAMES: [&str; 27] = [
    "apiGroup",
    "apiVersion",
    "conditionType",
    "driver",
    "finalizers",
    "generateName",
    "hostname",
    "image",
    "key",
    "kind",
    "matchLabelKeys",
    "mismatchLabelKeys",
    "name",
    "namespace",
    "namespaces",
    "port",
    "reference",
    "request",
    "resource",
    "serviceAccount",
    "subdomain",
    "topologyKey",
    "uid",
    "labels",
    "limits",
    "requests",
    "overhead",
];

/// Every text that a pod's template may have by the definition: an object with all its fields, and
/// the places of its texts.
static TEMPLATE: LazyLock<(Value, Vec<String>)> = LazyLock::new(|| {
    let definition = serde_json::to_value(PodCliqueSet::crd()).unwrap();
    let place = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/template\
                 /properties/cliques/items/properties/spec/properties/podSpec";
    let mut texts = Vec::new();
    let object = fill(definition.pointer(place).unwrap(), "", "", &mut texts);
    (object, texts)
});

/// An object of that schema with one item in each list and one entry in each map.
fn fill(schema: &Value, key: &str, place: &str, texts: &mut Vec<String>) -> Value {
    if let Some(fields) = schema["properties"].as_object() {
        let filled = fields.iter().map(|(key, schema)| {
            let place = format!("{place}/{key}");
            (key.clone(), fill(schema, key, &place, texts))
        });
        return Value::Object(filled.collect::<Map<_, _>>());
    }
    if schema["additionalProperties"].is_object() {
        let place = format!("{place}/any");
        return json!({"any": fill(&schema["additionalProperties"], key, &place, texts)});
    }
    let is_text = schema["x-kubernetes-int-or-string"] == true;
    match schema["type"].as_str() {
        Some("array") => json!([fill(&schema["items"], key, &format!("{place}/0"), texts)]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        _ if schema["format"] == "date-time" => json!("2026-01-01T00:00:00Z"),
        Some("string") => add_text(key, place, texts),
        _ if is_text => add_text(key, place, texts),
        _ => Value::Null,
    }
}

fn add_text(key: &str, place: &str, texts: &mut Vec<String>) -> Value {
    let is_name = NAMES.contains(&key) || key.ends_with("Name");
    let is_amount = ["divisor", "sizeLimit"].contains(&key);
    if !is_name && !is_amount {
        texts.push(place.to_owned());
    }
    json!(if is_amount { "1" } else { "x" })
}

fn collected(pod_spec: &Value) -> Collected {
    let set = json!({
        "metadata": {"name": "svc", "namespace": "ml"},
        "spec": {"replicas": 1, "template": {"cliques": [
            {"name": "a", "spec": {"roleName": "a", "replicas": 1, "podSpec": pod_spec}},
        ]}},
    });
    let pod = json!({"metadata": {"name": "svc-0-a-x", "namespace": "ml"}, "spec": pod_spec});
    Collected {
        namespace: "ml".to_owned(),
        name: "svc".to_owned(),
        objects: vec![
            found(ApiResource::erase::<PodCliqueSet>(&()), set),
            found(pods(), pod.clone()),
        ],
        operator: vec![pod],
        ..Collected::default()
    }
}

fn pods() -> ApiResource {
    ApiResource::erase::<k8s_openapi::api::core::v1::Pod>(&())
}

fn found(resource: ApiResource, item: Value) -> CollectedKind {
    let items = vec![item];
    CollectedKind { resource, items }
}

fn unpack(read: &Collected) -> String {
    let bytes = pack(&compose(read, false, *EPOCH), *EPOCH).unwrap();
    let mut text = String::new();
    GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    text
}

fn with_text(place: &str, text: &str) -> Value {
    let mut template = TEMPLATE.0.clone();
    *template.pointer_mut(place).unwrap() = json!(text);
    template
}

/// Ensures that the property below covers more than a few fields.
#[test]
fn the_template_has_every_field_of_the_definition() {
    let places = &TEMPLATE.1;
    assert!(places.len() > 300, "{places:?}");
    for place in [
        "/containers/0/args/0",
        "/containers/0/workingDir",
        "/containers/0/livenessProbe/exec/command/0",
        "/initContainers/0/env/0/value",
        "/volumes/0/hostPath/path",
        "/nodeSelector/any",
        "/tolerations/0/value",
        "/securityContext/sysctls/0/value",
    ] {
        assert!(places.iter().any(|p| p == place), "{place}: {places:?}");
    }
}

/// One place at a time: the same text everywhere at once could hide a place.
#[test]
fn no_text_of_a_pod_is_in_the_archive() {
    let mut left = Vec::new();
    for place in &TEMPLATE.1 {
        let archive = unpack(&collected(&with_text(place, "k3y9qzx7wv")));
        if archive.contains("k3y9qzx7wv") {
            left.push(place);
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn no_text_of_any_form_is_in_the_archive(
        place in 0..TEMPLATE.1.len(),
        before in "[ -~]{0,6}",
        text in "[a-z0-9A-Z_/.:=-]{4,12}[0-9][a-z][0-9][a-z][0-9]",
    ) {
        let whole = format!("{before}{text}");
        // `--name` is the name of a flag.
        prop_assume!(!whole.starts_with('-'));
        let archive = unpack(&collected(&with_text(&TEMPLATE.1[place], &whole)));
        prop_assert!(!archive.contains(&text), "{} at {}", text, TEMPLATE.1[place]);
    }
}
