//! Pods of higher priority come while nothing is free.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, started};
use crate::harness::control_plane::{fed, printed};
use crate::harness::manifest::set;
use crate::harness::{Seen, condition, same, site};

/// Pods of one replica of the group.
const PODS: usize = 3;

/// Three replicas of a group, of which one is required: a gang each.
fn low(resource: &str) -> Value {
    let cliques = [clique("lead", resource, 1), clique("work", resource, 2)];
    let group = json!({
        "name": "g",
        "cliqueNames": ["lead", "work"],
        "replicas": 3,
        "minAvailable": 1,
    });
    set("svc", &cliques, &[group])
}

fn high(resource: &str, class: &str) -> Value {
    let mut set = set("urgent", &[clique("x", resource, 2)], &[]);
    set["spec"]["template"]["priorityClassName"] = json!(class);
    set
}

/// A `PriorityClass`, which belongs to no namespace; it goes with this value.
pub struct PriorityClass(pub &'static str);

impl PriorityClass {
    pub fn create(name: &'static str) -> Self {
        let class = json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": name}, "value": 1000,
        });
        let mut create = site::gangs()
            .control_plane
            .tool("kubectl", ["create", "-f", "-"]);
        let output = fed(&mut create, &class);
        assert!(output.status.success(), "{output:?}");
        Self(name)
    }
}

impl Drop for PriorityClass {
    fn drop(&mut self) {
        let delete = ["delete", "priorityclass", "--ignore-not-found", self.0];
        printed(&mut site::gangs().control_plane.tool("kubectl", delete));
    }
}

/// Pods of each replica that have nodes.
fn placed(seen: &Seen) -> Vec<usize> {
    let bound = bound(seen);
    let count = |clique: String| bound.get(&clique).copied().unwrap_or(0);
    let of = |j| count(format!("svc-0-g-{j}-lead")) + count(format!("svc-0-g-{j}-work"));
    (0..3).map(of).collect()
}

/// Uids of pods on nodes, each with its replica.
fn pods(seen: &Seen) -> BTreeSet<(String, String)> {
    let pods = seen.all("Pod").into_iter();
    let on_nodes = pods.filter(|pod| pod["spec"]["nodeName"].is_string());
    let named = on_nodes.map(|pod| {
        let gang = pod["metadata"]["labels"]["grove.io/podgang"].to_string();
        (gang, pod["metadata"]["uid"].to_string())
    });
    named.collect()
}

/// Two pods take the place of one gang, or of two of which one comes back: the rest is not touched,
/// and no gang keeps nodes without working.
#[test]
fn a_gang_is_evicted_as_a_whole() {
    let operator = started("native-evicted", "Split");
    let nodes = Nodes::new(&site::gangs().control_plane, "example.com/evicted", 9);
    let ns = namespace("native-evicted", &operator);
    ns.apply(&low(&nodes.resource));
    ns.until("all of it is placed", |seen| seen.expect_ready_pods(9));
    let before = pods(&ns.look().unwrap());
    let class = PriorityClass::create("e2e-native-evicted");
    ns.apply(&high(&nodes.resource, class.0));
    ns.until("gangs are whole or not there", |seen| {
        same("urgent", &bound(seen).get("urgent-0-x"), &Some(&2))?;
        let mut placed = placed(seen);
        placed.sort_unstable();
        same("pods of each replica", &placed, &vec![0, PODS, PODS])
    });
    let after = pods(&ns.look().unwrap());
    let stayed: Vec<_> = before.intersection(&after).map(|(gang, _)| gang).collect();
    let gangs: BTreeSet<_> = stayed.iter().collect();
    assert!(!gangs.is_empty(), "{before:?} {after:?}");
    assert_eq!(stayed.len(), gangs.len() * PODS, "{stayed:?}");
    ns.delete();
}

/// The API server refuses a PodGroup of such a class: the set reports it, and its pods stay gated
/// until it names another one.
#[test]
fn a_class_of_the_system_holds_the_gang_back() {
    let operator = started("native-critical", "Split");
    let nodes = Nodes::new(&site::gangs().control_plane, "example.com/critical", 2);
    let ns = namespace("native-critical", &operator);
    ns.apply(&high(&nodes.resource, "system-cluster-critical"));
    ns.until("set and gang report it", |seen| {
        for (kind, name) in [("PodCliqueSet", "urgent"), ("PodGang", "urgent-0")] {
            let unsupported = condition(seen.one(kind, name)?, "SchedulingFeatureUnsupported");
            same(kind, &unsupported.as_str(), &"True/PriorityTooHigh")?;
        }
        same("on nodes", &bound(seen).get("urgent-0-x"), &Some(&0))
    });
    ns.apply(&high(&nodes.resource, ""));
    ns.until("it starts without the class", |seen| {
        same("on nodes", &bound(seen).get("urgent-0-x"), &Some(&2))
    });
    ns.delete();
}
