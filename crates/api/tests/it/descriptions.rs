//! `kubectl explain` describes every field of ours.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use rstest::rstest;
use serde_json::Value;

/// A shorter description says no more than the name of the field.
const SHORTEST: usize = 40;
/// A longer description belongs in docs/.
const LONGEST: usize = 400;

/// Fields that hold a structure of Kubernetes. They have a description; for their content
/// Kubernetes' own descriptions apply.
const EMBEDDED: [&str; 3] = ["podSpec", "metrics", "templateSpec"];

fn schema_of(kind: &str) -> Value {
    let all = api::crds::all();
    let is_meant = |crd: &&CustomResourceDefinition| crd.spec.names.kind == kind;
    let crd = serde_json::to_value(all.iter().find(is_meant).unwrap()).unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Calls `f` with the path and the description of every field of ours, including fields in lists
/// and maps.
fn visit_fields(path: &str, schema: &Value, f: &mut dyn FnMut(&str, &str)) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        f(&path, field["description"].as_str().unwrap_or_default());
        if EMBEDDED.contains(&name.as_str()) {
            continue;
        }
        visit_fields(&path, field, f);
        visit_fields(&format!("{path}[]"), &field["items"], f);
        visit_fields(&format!("{path}{{}}"), &field["additionalProperties"], f);
    }
}

/// Fields whose description fits the claim.
fn fields_where(kind: &str, claim: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let schema = schema_of(kind);
    for part in ["spec", "status"] {
        visit_fields(part, &schema["properties"][part], &mut |path, text| {
            if claim(text) {
                found.push(format!("{path}: {text:?}"));
            }
        });
    }
    found
}

#[rstest]
#[case("PodCliqueSet", 100)]
#[case("PodClique", 30)]
#[case("PodCliqueScalingGroup", 30)]
#[case("PodGang", 15)]
#[case("ClusterTopologyBinding", 10)]
fn every_field_has_a_full_description(#[case] kind: &str, #[case] at_least: usize) {
    let count = |text: &str| text.chars().count();
    let short = fields_where(kind, |text| count(text) < SHORTEST);
    assert_eq!(short, Vec::<String>::new());
    let long = fields_where(kind, |text| count(text) > LONGEST);
    assert_eq!(long, Vec::<String>::new());
    // The traversal has found the fields.
    let all = fields_where(kind, |_| true).len();
    assert!(all >= at_least, "{all} fields");
}

#[rstest]
#[case("PodCliqueSet")]
#[case("PodClique")]
#[case("PodCliqueScalingGroup")]
#[case("PodGang")]
#[case("ClusterTopologyBinding")]
fn kinds_and_their_parts_are_described(#[case] kind: &str) {
    let schema = schema_of(kind);
    let parts = [
        &schema,
        &schema["properties"]["spec"],
        &schema["properties"]["status"],
    ];
    for part in parts {
        let text = part["description"].as_str().unwrap_or_default();
        assert!(text.chars().count() >= SHORTEST, "{kind}: {text:?}");
    }
}
