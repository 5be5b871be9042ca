//! Every field in the configuration of kube-state-metrics exists in the definitions.

use api::podgang::PodGangPhase;
use serde_json::Value;

const CONFIGURATION: &str =
    include_str!("../../../../config/kube-state-metrics/custom-resource-state.yaml");

fn schema_of(group_version_kind: &Value) -> Value {
    let crds = api::crds::all();
    let is_meant = |spec: &Value| {
        spec["group"] == group_version_kind["group"]
            && spec["names"]["kind"] == group_version_kind["kind"]
            && spec["versions"][0]["name"] == group_version_kind["version"]
    };
    let mut specs = crds.iter().map(|c| serde_json::to_value(&c.spec).unwrap());
    let spec = specs.find(is_meant).unwrap();
    spec["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// The schema at the end of a path; a list is followed into its items.
fn find<'a>(schema: &'a Value, path: &Value) -> &'a Value {
    path.as_array().unwrap().iter().fold(schema, |at, step| {
        let at = if at["type"] == "array" {
            &at["items"]
        } else {
            at
        };
        let found = &at["properties"][step.as_str().unwrap()];
        assert!(found.is_object(), "no {step} of {path}");
        found
    })
}

#[test]
fn every_path_exists_in_the_definition() {
    let configuration: Value = serde_saphyr::from_str(CONFIGURATION).unwrap();
    let resources = configuration["spec"]["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 4);
    for resource in resources {
        let schema = schema_of(&resource["groupVersionKind"]);
        for metric in resource["metrics"].as_array().unwrap() {
            let each = &metric["each"];
            let read = if each["type"] == "Gauge" {
                &each["gauge"]
            } else {
                &each["stateSet"]
            };
            // The definition does not contain the fields of every object.
            if read["path"][0] == "metadata" {
                continue;
            }
            let found = find(&schema, &read["path"]);
            let labels = read["labelsFromPath"].as_object();
            for path in labels.into_iter().flat_map(|labels| labels.values()) {
                find(found, path);
            }
            if let Some(from) = read.get("valueFrom") {
                find(found, from);
            }
            for phase in read["list"].as_array().into_iter().flatten() {
                assert!(
                    serde_json::from_value::<PodGangPhase>(phase.clone()).is_ok(),
                    "{phase}"
                );
            }
        }
    }
}
