//! What is accepted but not done yet.

use admission::defaults::{DefaultsConfig, apply};
use admission::unimplemented::ignored_fields;
use api::PodCliqueSet;
use serde_json::{Value, json};

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

#[test]
fn fields_without_effect_are_named() {
    let constraint = json!({"topologyName": "cluster", "pack": {"required": "rack"}});
    let sharing = json!([{"name": "claim", "scope": "AllReplicas"}]);
    let none = json!({"grove.io/mnnvl-group": "none"});
    let pcs = set(&json!({
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
    }));
    insta::assert_snapshot!(ignored_fields(&pcs).join("\n"));
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
