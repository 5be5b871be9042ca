//! The domain in which a scope runs.

use domain::topology::{ScopeState, judge_scope, pin_of};
use domain::{Node, Pod};
use rstest::rstest;
use serde_json::json;

use super::levels;

/// `node` is `<zone>.<rack>`, a node without a rack ends with a dot.
fn node(name: &str) -> Node {
    let (zone, rack) = name.split_once('.').unwrap();
    let mut labels = json!({"topology.kubernetes.io/zone": zone});
    if !rack.is_empty() {
        labels["topology.kubernetes.io/rack"] = json!(rack);
    }
    serde_json::from_value(json!({"metadata": {"name": name, "labels": labels}})).unwrap()
}

/// `+` terminating, `=` completed, `-` no node; the rest is the name of its node.
fn pod(text: &str) -> Pod {
    let node = text.trim_start_matches(['+', '=']);
    let mut pod = json!({"metadata": {"name": text}, "spec": {}, "status": {}});
    if node != "-" {
        pod["spec"]["nodeName"] = json!(node);
    }
    if text.starts_with('+') {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    }
    if text.starts_with('=') {
        pod["status"]["phase"] = json!("Succeeded");
    }
    serde_json::from_value(pod).unwrap()
}

#[rstest]
#[case::none(&[], "unbound")]
#[case::no_node_yet(&["-", "-"], "unbound")]
#[case::one(&["z0.r1", "-", "z0.r1"], "z0/r1")]
#[case::the_same_rack_in_two_zones(&["z0.r1", "z1.r1"], "scattered")]
#[case::two_racks(&["z0.r1", "z0.r2"], "scattered")]
#[case::a_node_without_rack(&["z0."], "scattered")]
#[case::beside_a_node_without_rack(&["z0.r1", "z0."], "scattered")]
#[case::terminating(&["z0.r1", "+z0.r2"], "z0/r1")]
#[case::completed(&["z0.r1", "=z0.r2"], "z0/r1")]
#[case::node_is_not_known(&["z0.r1", "z9.r9"], "unknown")]
fn bound_pods_decide(#[case] pods: &[&str], #[case] wanted: &str) {
    let nodes = ["z0.r1", "z1.r1", "z0.r2", "z0."].map(node);
    let find = |name: &str| {
        let mut nodes = nodes.iter();
        nodes.find(|node| node.metadata.name.as_deref() == Some(name))
    };
    let pods: Vec<Pod> = pods.iter().map(|text| pod(text)).collect();
    let pods: Vec<&Pod> = pods.iter().collect();
    let found = match judge_scope(&pods, &levels(), 1, find) {
        ScopeState::Unbound => "unbound".to_owned(),
        ScopeState::Scattered => "scattered".to_owned(),
        ScopeState::NodeUnknown => "unknown".to_owned(),
        ScopeState::In(selector) => {
            let rack = &selector["topology.kubernetes.io/rack"];
            format!("{}/{rack}", selector["topology.kubernetes.io/zone"])
        }
    };
    assert_eq!(found, wanted);
}

#[test]
fn a_pin_is_read_from_its_annotation_alone() {
    let pinned: Pod = serde_json::from_value(json!({
        "metadata": {"name": "p", "annotations": {"grove.io/pinned": "{\"rack\":\"r1\"}"}},
        "spec": {"nodeSelector": {"rack": "r2", "gpu": "h100"}},
    }))
    .unwrap();
    let pin = pin_of(&pinned);
    assert_eq!(pin.len(), 1);
    assert_eq!(pin["rack"], "r1");
    assert!(pin_of(&Pod::default()).is_empty());
}
