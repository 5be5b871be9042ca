//! Fields that are accepted but have no effect yet.

use admission::defaults::{DefaultsConfig, apply};
use admission::unimplemented::ignored_fields;
use api::PodCliqueSet;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn set(spec: &Value) -> PodCliqueSet {
    let pcs = serde_json::from_value(json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "llm", "annotations": {"grove.io/mnnvl-group": "fast"}},
        "spec": spec
    }));
    apply(&pcs.unwrap(), &DefaultsConfig::default())
}

fn clique(name: &str) -> Value {
    json!({"name": name, "spec": {
        "roleName": name, "replicas": 1, "podSpec": {"containers": []}
    }})
}

/// A set with all these fields.
fn unfinished() -> PodCliqueSet {
    let constraint = json!({"topologyName": "cluster", "pack": {"required": "rack"}});
    let sharing = json!([{"name": "claim", "scope": "AllReplicas"}]);
    let none = json!({"grove.io/mnnvl-group": "none"});
    set(&json!({
        "updateStrategy": {"type": "OnDelete"},
        "template": {
            "topologyConstraint": constraint,
            "resourceClaimTemplates": [{"name": "claim", "templateSpec": {"spec": {}}}],
            "resourceSharing": sharing,
            "cliques": [
                {
                    "name": "a", "annotations": none, "topologyConstraint": constraint,
                    "resourceSharing": sharing,
                    "spec": {
                        "roleName": "a", "replicas": 1, "podSpec": {"containers": []},
                        "autoScalingConfig": {"maxReplicas": 2}
                    }
                },
                clique("b")
            ],
            "podCliqueScalingGroups": [{
                "name": "g", "cliqueNames": ["b"], "annotations": {"grove.io/mnnvl-group": "x"},
                "scaleConfig": {"maxReplicas": 2}, "resourceSharing": sharing,
                "topologyConstraint": constraint
            }]
        }
    }))
}

#[test]
fn fields_without_effect_are_named() {
    insta::assert_snapshot!(ignored_fields(&unfinished()).join("\n"));
}

/// The text of `kubectl explain` for each field of ours, by its path:
/// `spec.template.cliques[].name`.
fn explain(path: &str, schema: &Value, texts: &mut BTreeMap<String, String>) {
    let text = schema["description"].as_str();
    texts.extend(text.map(|text| (path.to_owned(), text.to_owned())));
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        explain(&format!("{path}.{name}"), field, texts);
    }
    // The description of a list covers its items.
    for (name, field) in schema["items"]["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        explain(&format!("{path}[].{name}"), field, texts);
    }
}

fn explain_spec() -> BTreeMap<String, String> {
    let all = api::crds::all();
    let crd = all.iter().find(|c| c.spec.names.kind == "PodCliqueSet");
    let crd = serde_json::to_value(crd.unwrap()).unwrap();
    let mut texts = BTreeMap::new();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    explain("spec", &schema["properties"]["spec"], &mut texts);
    texts
}

#[test]
fn kubectl_explain_says_of_these_and_of_no_others_that_they_have_no_effect() {
    let ignored: Vec<String> = ignored_fields(&unfinished())
        .iter()
        .filter(|path| path.starts_with("spec.") && !path.contains("annotations"))
        .map(|path| path.replace("[0]", "[]"))
        .collect();
    let is_ignored = |path: &str| {
        let mut inside = ignored.iter().filter_map(|i| path.strip_prefix(i.as_str()));
        inside.any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let texts = explain_spec();
    assert!(texts.len() > 30, "{}", texts.len());
    let wrong: Vec<_> = texts
        .iter()
        .filter(|(path, text)| is_ignored(path) != text.contains("ithout effect yet"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_plain_set_is_done_as_written() {
    let mut pcs = set(&json!({
        "updateStrategy": {"type": "RollingRecreate"},
        "template": {"cliques": [clique("a"), clique("b")]}
    }));
    pcs.metadata.annotations = None;
    assert_eq!(ignored_fields(&pcs), Vec::<String>::new());
}
