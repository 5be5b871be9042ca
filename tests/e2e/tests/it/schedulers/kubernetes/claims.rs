//! A claim that more pods share than Kubernetes lets use it: their PodGroup uses it in their place.

use serde_json::{Value, json};

use super::nodes::{Nodes, node, tolerate};
use super::{clique, namespace, started};
use crate::harness::manifest::set;
use crate::harness::{same, site};
use crate::sharing::{
    CLASS, claims, expect_claims, expect_named, install_devices, is_ready, template,
};

const PODS: u16 = 300;

/// The node has it for all of them.
const RESOURCE: &str = "example.com/one-claim";

/// Other tests' pods do not tolerate it.
fn large_node() -> Value {
    let mut node = node(RESOURCE, 0);
    node["spec"] = json!({"taints": [{"key": RESOURCE, "effect": "NoSchedule"}]});
    for amounts in ["allocatable", "capacity"] {
        node["status"][amounts]["pods"] = json!(PODS.to_string());
        node["status"][amounts][RESOURCE] = json!((8 * PODS).to_string());
    }
    node
}

fn wide() -> Value {
    let mut worker = clique("worker", RESOURCE, PODS.into());
    tolerate(&mut worker, RESOURCE);
    worker["resourceSharing"] = json!([{"name": "pool", "scope": "AllReplicas"}]);
    let mut pcs = set("svc", &[worker], &[]);
    pcs["spec"]["template"]["resourceClaimTemplates"] = json!([template("pool")]);
    pcs
}

#[test]
fn three_hundred_pods_of_a_gang_run_with_one_claim() {
    let operator = started("native-claim", "Split");
    let control_plane = &site::gangs().control_plane;
    let _nodes = Nodes::of(control_plane, RESOURCE, &[large_node()]);
    let ns = namespace("native-claim", &operator);
    install_devices(&ns, CLASS);
    ns.apply(&wide());
    ns.until("all of them run", |seen| {
        is_ready(seen, PODS.into())?;
        expect_claims(&ns, &["svc-0-worker-all-pool"])?;
        expect_named(seen, "svc-0-worker", &["svc-0-worker-all-pool"])?;
        let found = claims(&ns)?;
        let users = &found[0]["status"]["reservedFor"];
        same("users", &users.as_array().map(Vec::len), &Some(1))?;
        same("user", &users[0]["resource"], &json!("podgroups"))
    });
}
