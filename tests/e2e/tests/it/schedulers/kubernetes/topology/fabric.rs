//! The nodes and the ClusterTopologyBinding of one test: two zones with two racks each. Names, labels
//! and taints are the test's own, as the tests of this control plane run side by side.

use std::process::Command;

use serde_json::{Value, json};

use crate::harness::control_plane::{fed, printed};
use crate::harness::site;
use crate::schedulers::kubernetes::nodes::{Nodes, node};

const RACKS: usize = 4;
const RACKS_PER_ZONE: usize = 2;

/// Dropping the value deletes them.
pub struct Fabric {
    nodes: Nodes<'static>,
    /// Name of the binding.
    pub name: String,
    /// Each node has as much of it as one pod requests, and has a taint of this name.
    pub resource: String,
    size: usize,
}

/// A place of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rack {
    pub zone: String,
    pub rack: String,
}

impl Rack {
    fn number(number: usize) -> Self {
        Self {
            zone: format!("z{}", number / RACKS_PER_ZONE),
            rack: format!("r{number}"),
        }
    }

    /// That of a node with this name.
    pub fn of_node(name: &str) -> Self {
        let mut parts = name.rsplitn(4, '-');
        let mut next = || parts.next().unwrap().to_owned();
        let (_, rack, zone) = (next(), next(), next());
        Self { zone, rack }
    }
}

impl Fabric {
    /// Racks with that many nodes each, and no binding.
    pub fn new(name: &str, nodes_per_rack: usize) -> Self {
        let resource = format!("example.com/{name}");
        let size = RACKS * nodes_per_rack;
        let nodes = (0..size).map(|index| build_node(name, index / nodes_per_rack, index));
        let nodes: Vec<Value> = nodes.collect();
        Self {
            nodes: Nodes::of(&site::gangs().control_plane, &resource, &nodes),
            name: name.to_owned(),
            resource,
            size,
        }
    }

    /// One more node in the rack with this number.
    pub fn add_node(&mut self, rack: usize) {
        self.nodes
            .create(&[build_node(&self.name, rack, self.size)]);
        self.size += 1;
    }

    /// Key of the node label of a level.
    pub fn key(&self, domain: &str) -> String {
        key(&self.name, domain)
    }

    /// Creates the binding with these levels, or changes it to these.
    pub fn bind(&self, domains: &[&str]) {
        let level = |domain: &&str| json!({"domain": domain, "key": self.key(domain)});
        let levels: Vec<Value> = domains.iter().map(level).collect();
        let binding = json!({
            "apiVersion": "grove.io/v1alpha1",
            "kind": "ClusterTopologyBinding",
            "metadata": {"name": self.name},
            "spec": {"levels": levels},
        });
        let mut apply = tool(&["apply", "-f", "-"]);
        let applied = fed(&mut apply, &binding);
        assert!(applied.status.success(), "{applied:?}");
    }

    /// No more pods get nodes in this zone.
    pub fn cordon(&self, zone: &str) {
        let of_zone = format!("--selector={}={zone}", self.key("zone"));
        printed(&mut tool(&["cordon", &of_zone]));
    }
}

impl Drop for Fabric {
    fn drop(&mut self) {
        let binding = format!("clustertopologybinding/{}", self.name);
        printed(&mut tool(&["delete", "--ignore-not-found", &binding]));
    }
}

fn tool(args: &[&str]) -> Command {
    site::gangs().control_plane.tool("kubectl", args)
}

fn key(name: &str, domain: &str) -> String {
    match domain {
        "host" => "kubernetes.io/hostname".to_owned(),
        domain => format!("{name}.example.com/{domain}"),
    }
}

fn build_node(fabric: &str, rack: usize, index: usize) -> Value {
    let Rack { zone, rack } = Rack::number(rack);
    let resource = format!("example.com/{fabric}");
    let name = format!("{fabric}-{zone}-{rack}-{index}");
    let mut node = node(&resource, index);
    node["metadata"]["labels"] = json!({
        "kubernetes.io/hostname": name,
        "type": "kwok",
        key(fabric, "zone"): zone,
        key(fabric, "rack"): rack,
    });
    node["metadata"]["name"] = json!(name);
    node["spec"] = json!({"taints": [{"key": resource, "effect": "NoSchedule"}]});
    node
}
