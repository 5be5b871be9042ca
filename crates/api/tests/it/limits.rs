//! No stored number makes work: the definitions limit every count and every list of ours.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use rstest::rstest;
use serde_json::Value;

fn spec_of(kind: &str) -> Value {
    let all = api::crds::all();
    let is_meant = |crd: &&CustomResourceDefinition| crd.spec.names.kind == kind;
    let crd = serde_json::to_value(all.iter().find(is_meant).unwrap()).unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

/// Structures of Kubernetes: Kubernetes defines their limits.
const EMBEDDED: [&str; 3] = ["podSpec", "metrics", "templateSpec"];

/// Counts and lists without a limit.
fn unbounded(path: &str, schema: &Value, found: &mut Vec<String>) {
    let name = path.rsplit(['.', ']']).next().unwrap_or_default();
    let is_count = ["replicas", "minAvailable", "minReplicas", "maxReplicas"].contains(&name);
    let is_list = schema["type"] == "array";
    if (is_count && schema["maximum"].is_null()) || (is_list && schema["maxItems"].is_null()) {
        found.push(path.to_owned());
    }
    if !schema.is_object() || EMBEDDED.contains(&name) {
        return;
    }
    unbounded(&format!("{path}[]"), &schema["items"], found);
    for (field, child) in schema["properties"].as_object().into_iter().flatten() {
        unbounded(&format!("{path}.{field}"), child, found);
    }
}

#[rstest]
#[case("PodCliqueSet")]
#[case("PodClique")]
#[case("PodCliqueScalingGroup")]
fn every_count_and_every_list_is_bounded(#[case] kind: &str) {
    let mut found = Vec::new();
    unbounded("spec", &spec_of(kind), &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[rstest]
#[case("PodCliqueSet")]
#[case("PodClique")]
#[case("PodCliqueScalingGroup")]
fn scaling_goes_up_to_the_largest_parsed_index(#[case] kind: &str) {
    let most = spec_of(kind)["properties"]["replicas"]["maximum"].as_f64();
    assert_eq!(most, Some(f64::from(api::limits::MAX_REPLICAS)));
}
