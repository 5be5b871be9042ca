//! Nodes with room for one pod that requests a resource of their own, and for next to nothing else:
//! the tests of this control plane run side by side.

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, fed, printed};
use crate::harness::seen::name;

/// The same number in each zone, in the order of creation.
const NODES_PER_ZONE: usize = 5;

/// Dropping the value deletes them.
pub struct Nodes<'a> {
    control_plane: &'a ControlPlane,
    /// Each node has as much of it as one pod requests.
    pub resource: String,
    names: Vec<String>,
}

impl<'a> Nodes<'a> {
    /// That many nodes for this resource.
    pub fn new(control_plane: &'a ControlPlane, resource: &str, count: usize) -> Self {
        Self::of_each(control_plane, &[resource.to_owned()], count)
    }

    /// The same, for pods that tolerate the resource as a taint: in a control plane whose other
    /// tests have pods that request next to nothing, these would take the places of nodes without a
    /// taint, and be lost with them.
    pub fn reserved(control_plane: &'a ControlPlane, resource: &str, count: usize) -> Self {
        Self::reserved_for(control_plane, resource, &vec![1; count])
    }

    /// The same, each with room for so many pods.
    pub fn reserved_for(control_plane: &'a ControlPlane, resource: &str, places: &[usize]) -> Self {
        let all = places.iter().enumerate().map(|(i, places)| {
            let mut node = node_for(resource, i, *places);
            node["spec"] = json!({"taints": [{"key": resource, "effect": "NoSchedule"}]});
            node
        });
        Self::of(control_plane, resource, &all.collect::<Vec<_>>())
    }

    /// One node with room for that many pods that request this resource.
    pub fn one(control_plane: &'a ControlPlane, resource: &str, places: usize) -> Self {
        Self::of(control_plane, resource, &[node_for(resource, 0, places)])
    }

    /// That many nodes for each of these resources.
    pub fn of_each(control_plane: &'a ControlPlane, resources: &[String], count: usize) -> Self {
        let all = resources
            .iter()
            .flat_map(|r| (0..count).map(move |i| node(r, i)));
        Self::of(control_plane, &resources[0], &all.collect::<Vec<_>>())
    }

    /// These nodes.
    pub fn of(control_plane: &'a ControlPlane, resource: &str, all: &[Value]) -> Self {
        let mut nodes = Self {
            control_plane,
            resource: resource.to_owned(),
            names: Vec::new(),
        };
        nodes.create(all);
        nodes
    }

    /// That many more nodes for the first resource.
    pub fn add(&mut self, count: usize) {
        let first = self.names.len();
        let nodes = (first..first + count).map(|i| node(&self.resource, i));
        self.create(&nodes.collect::<Vec<_>>());
    }

    /// The name of the node with that index.
    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// That node is gone; its pods are removed a minute later.
    pub fn lose(&self, index: usize) {
        let name = self.name(index);
        self.control_plane.kubectl(["delete", "node", name]);
    }

    /// These nodes as well.
    pub fn create(&mut self, nodes: &[Value]) {
        self.names
            .extend(nodes.iter().map(|node| name(node).to_owned()));
        let list = json!({"apiVersion": "v1", "kind": "List", "items": nodes});
        let mut create = self.control_plane.tool("kubectl", ["create", "-f", "-"]);
        let output = fed(&mut create, &list);
        assert!(output.status.success(), "{output:?}");
    }
}

/// A node with room for so many pods that request this resource.
fn node_for(resource: &str, index: usize, places: usize) -> Value {
    let mut node = node(resource, index);
    for amounts in ["allocatable", "capacity"] {
        node["status"][amounts]["pods"] = json!((places + 1).to_string());
        node["status"][amounts][resource] = json!((8 * places).to_string());
    }
    node
}

/// Lets the pods of a clique on the nodes that are reserved for this resource.
pub fn tolerate(clique: &mut Value, resource: &str) {
    let toleration = json!({"key": resource, "operator": "Exists", "effect": "NoSchedule"});
    clique["spec"]["podSpec"]["tolerations"] = json!([toleration]);
}

/// A node with room for one pod that requests this resource.
pub fn node(resource: &str, index: usize) -> Value {
    let (_, short) = resource.split_once('/').unwrap();
    let name = format!("{short}-{index}");
    let zone = format!("{short}-{}", index / NODES_PER_ZONE);
    let mut resources = json!({"cpu": "1", "memory": "1Gi", "pods": "2"});
    resources[resource] = json!("8");
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": zone,
                "type": "kwok",
            },
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"allocatable": resources, "capacity": resources},
    })
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        let mut delete = self.control_plane.tool("kubectl", ["delete", "node"]);
        printed(delete.args(["--ignore-not-found"]).args(&self.names));
    }
}
