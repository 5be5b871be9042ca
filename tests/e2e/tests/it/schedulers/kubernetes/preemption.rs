//! Pods of higher priority come while nothing is free.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, started};
use crate::harness::manifest::set;
use crate::harness::{Seen, same, site};

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

fn high(resource: &str) -> Value {
    let mut set = set("urgent", &[clique("x", resource, 2)], &[]);
    set["spec"]["template"]["priorityClassName"] = json!("system-cluster-critical");
    set
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
    ns.apply(&high(&nodes.resource));
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
