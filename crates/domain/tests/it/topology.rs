//! Levels, constraints, what cannot be kept, and scopes of topology constraints.

mod ambiguous;
mod scope;
mod translation;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueSetTemplateSpec;
use domain::topology::{
    Levels, UnsupportedTopology, binding_name, find_unsupported_topology, has_constraints,
    judge_levels, named_domains,
};
use rstest::rstest;
use serde_json::{Value, json};

/// Zones, racks and hosts.
pub fn levels() -> Levels {
    let level = |domain: &str, key: &str| json!({"domain": domain, "key": key});
    let all = json!([
        level("zone", "topology.kubernetes.io/zone"),
        level("rack", "topology.kubernetes.io/rack"),
        level("host", "kubernetes.io/hostname"),
    ]);
    Levels::from_text(&all.to_string()).unwrap()
}

/// A set with a router, and a group of leader and worker; each with this constraint.
pub fn template(set: &Value, group: &Value, leader: &Value) -> PodCliqueSetTemplateSpec {
    let pods = json!({"roleName": "r", "replicas": 1, "podSpec": {"containers": []}});
    let set: PodCliqueSet = serde_json::from_value(json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "llm"},
        "spec": {"replicas": 1, "template": {
            "topologyConstraint": set,
            "cliques": [
                {"name": "router", "spec": pods},
                {"name": "leader", "spec": pods, "topologyConstraint": leader},
                {"name": "worker", "spec": pods},
            ],
            "podCliqueScalingGroups": [
                {"name": "g", "cliqueNames": ["leader", "worker"], "topologyConstraint": group},
            ],
        }},
    }))
    .unwrap();
    set.spec.template
}

pub fn required(domain: &str) -> Value {
    json!({"topologyName": "fabric", "pack": {"required": domain}})
}

pub fn preferred(domain: &str) -> Value {
    json!({"topologyName": "fabric", "pack": {"preferred": domain}})
}

#[test]
fn the_first_name_and_all_levels_are_found() {
    let old = json!({"topologyName": "fabric", "packDomain": "rack"});
    let template = template(&Value::Null, &preferred("host"), &old);
    assert!(has_constraints(&template));
    assert_eq!(binding_name(&template), Some("fabric"));
    assert_eq!(named_domains(&template), (vec!["rack"], vec!["host"]));
}

#[test]
fn stored_levels_are_read_again() {
    let text = levels().down_to_narrowest(["zone", "rack"]).to_text();
    let read = Levels::from_text(&text).unwrap();
    assert_eq!(read.domains().collect::<Vec<_>>(), ["zone", "rack"]);
    assert_eq!(read.key("rack"), Some("topology.kubernetes.io/rack"));
    assert_eq!(Levels::from_text("no list"), None);
}

#[rstest]
#[case::nothing(Value::Null, true, true, None)]
#[case::all_there(required("rack"), true, true, None)]
#[case::only_preferred(preferred("row"), true, false, None)]
#[case::disabled(required("rack"), false, true, Some("topologyAwareScheduling.enabled"))]
#[case::no_binding(required("rack"), true, false, Some("fabric does not exist"))]
#[case::no_level(required("row"), true, true, Some("no level row"))]
#[case::no_name(json!({"pack": {"required": "rack"}}), true, true, Some("topologyName"))]
fn a_required_level_that_nobody_knows_holds_gangs(
    #[case] set: Value,
    #[case] is_enabled: bool,
    #[case] is_there: bool,
    #[case] told: Option<&str>,
) {
    let template = template(&set, &Value::Null, &Value::Null);
    let levels = levels();
    let found =
        find_unsupported_topology(&template, is_enabled, Some(&levels).filter(|_| is_there));
    let found = found.as_ref().map(UnsupportedTopology::describe);
    assert_eq!(found.is_some(), told.is_some(), "{found:?}");
    if let Some((found, told)) = found.zip(told) {
        assert!(found.contains(told), "{found}");
        assert!(found.starts_with("gangs that have not started stay gated: "));
    }
}

#[rstest]
#[case::off_and_unused(Value::Null, false, true, None)]
#[case::unused(
    Value::Null,
    true,
    true,
    Some("False/AllClusterTopologyLevelsAvailable")
)]
#[case::off(
    required("rack"),
    false,
    true,
    Some("Unknown/TopologyAwareSchedulingDisabled")
)]
#[case::no_name(json!({"pack": {"required": "rack"}}), true, true, Some("Unknown/TopologyNameMissing"))]
#[case::no_binding(required("rack"), true, false, Some("Unknown/ClusterTopologyNotFound"))]
#[case::missing(
    preferred("row"),
    true,
    true,
    Some("True/ClusterTopologyLevelsUnavailable")
)]
#[case::there(
    required("host"),
    true,
    true,
    Some("False/AllClusterTopologyLevelsAvailable")
)]
fn the_condition_says_whether_all_levels_are_there(
    #[case] set: Value,
    #[case] is_enabled: bool,
    #[case] is_there: bool,
    #[case] wanted: Option<&str>,
) {
    let template = template(&set, &Value::Null, &Value::Null);
    let levels = levels();
    let found = judge_levels(&template, is_enabled, Some(&levels).filter(|_| is_there));
    let found = found.map(|verdict| format!("{}/{}", verdict.status, verdict.reason));
    assert_eq!(found.as_deref(), wanted);
}
