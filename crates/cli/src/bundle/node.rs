//! Nodes: what decides which pods they take.

use serde_json::{Value, json};

/// Of a node its name, labels, taints, conditions and what it has for pods; no addresses, images
/// or annotations.
pub fn describe_node(node: &Value) -> Value {
    let at = |place: &str| node.pointer(place).cloned().unwrap_or_default();
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": at("/metadata/name"), "labels": at("/metadata/labels")},
        "spec": {"taints": at("/spec/taints"), "unschedulable": at("/spec/unschedulable")},
        "status": {
            "allocatable": at("/status/allocatable"),
            "conditions": at("/status/conditions"),
        },
    })
}
