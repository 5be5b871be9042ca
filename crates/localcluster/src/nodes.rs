//! The machines that KWOK pretends to be.

use serde_json::{Value, json};

const NODES_PER_RACK: u32 = 4;
const NODES_PER_ZONE: u32 = 8;

/// A `List` of this many nodes, for `kubectl create`.
pub(super) fn manifest(count: u32) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": (0..count).map(node).collect::<Vec<_>>()})
}

fn node(index: u32) -> Value {
    let name = format!("node-{index}");
    let resources = json!({"cpu": "64", "memory": "256Gi", "pods": "500", "nvidia.com/gpu": "8"});
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "topology.kubernetes.io/rack": format!("rack-{}", index / NODES_PER_RACK),
                "topology.kubernetes.io/zone": format!("zone-{}", index / NODES_PER_ZONE),
                "type": "kwok",
            },
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"allocatable": resources, "capacity": resources},
    })
}
