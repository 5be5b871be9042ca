//! What is accepted but not done yet.

use admission::defaults::{DefaultsConfig, apply};
use admission::unimplemented::{blocks_creation, ignored_fields};
use api::PodCliqueSet;
use rstest::rstest;
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

fn clique(name: &str, starts_after: &[&str]) -> Value {
    json!({"name": name, "spec": {
        "roleName": name, "replicas": 1, "podSpec": {"containers": []}, "startsAfter": starts_after
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
                clique("b", &[])
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
        "template": {"cliques": [clique("a", &[]), clique("b", &[])]}
    }));
    pcs.metadata.annotations = None;
    assert_eq!(ignored_fields(&pcs), Vec::<String>::new());
    assert_eq!(blocks_creation(&pcs), None);
}

#[rstest]
#[case::any_order("CliqueStartupTypeAnyOrder", &["a", "b"], false)]
#[case::in_order("CliqueStartupTypeInOrder", &["a", "b"], true)]
#[case::in_order_of_one("CliqueStartupTypeInOrder", &["a"], false)]
#[case::explicit("CliqueStartupTypeExplicit", &["a", "b"], true)]
#[case::explicit_of_one("CliqueStartupTypeExplicit", &["a"], false)]
fn an_order_that_matters_holds_creation_up(
    #[case] type_: &str,
    #[case] names: &[&str],
    #[case] blocks: bool,
) {
    let after: &[&str] = if names.len() > 1 { &["a"] } else { &[] };
    let cliques = names
        .iter()
        .map(|name| clique(name, if *name == "a" { &[] } else { after }));
    let cliques: Vec<_> = cliques.collect();
    let pcs = set(&json!({"template": {"cliqueStartupType": type_, "cliques": cliques}}));
    assert_eq!(blocks_creation(&pcs).is_some(), blocks);
}

#[test]
fn the_reasons_are_reported() {
    let pcs = set(&json!({
        "template": {
            "cliqueStartupType": "CliqueStartupTypeInOrder",
            "cliques": [clique("a", &[]), clique("b", &[])]
        }
    }));
    insta::assert_snapshot!(blocks_creation(&pcs).unwrap());
}
