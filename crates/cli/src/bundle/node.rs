//! Nodes: the fields that decide which pods they take.

use serde_json::{Value, json};

/// A node's name, labels, taints, conditions and allocatable resources; no addresses, images or
/// annotations.
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
