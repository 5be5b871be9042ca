//! The machines that KWOK pretends to be.

use serde_json::{Value, json};

/// KWOK recognizes its nodes beside real ones by the value `fake`.
pub(super) const KWOK_ANNOTATION: &str = "kwok.x-k8s.io/node";

/// The taint of KWOK nodes beside real ones, which their pods have to tolerate.
const KWOK_TAINT: &str = "kwok.x-k8s.io/node";

const NODES_PER_RACK: u32 = 4;
const NODES_PER_ZONE: u32 = 8;

/// A `List` of this many nodes, for `kubectl create`.
///
/// Beside real nodes they are called `kwok-0` and so on, and take no pod that does not tolerate them.
pub(super) fn manifest(count: u32, beside_real_nodes: bool) -> Value {
    let nodes = (0..count).map(|index| node(index, beside_real_nodes));
    json!({"apiVersion": "v1", "kind": "List", "items": nodes.collect::<Vec<_>>()})
}

fn node(index: u32, beside_real_nodes: bool) -> Value {
    let (kind, taints) = if beside_real_nodes {
        ("kwok", json!([{"key": KWOK_TAINT, "effect": "NoSchedule"}]))
    } else {
        ("node", json!([]))
    };
    let name = format!("{kind}-{index}");
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
            "annotations": {KWOK_ANNOTATION: "fake"},
        },
        "spec": {"taints": taints},
        "status": {"allocatable": resources, "capacity": resources},
    })
}
