//! Pods of higher priority come while an update has surge.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::preemption::PriorityClass;
use super::{bound, clique, namespace, of_version, started};
use crate::harness::manifest::{group, set};
use crate::harness::seen::is_ready;
use crate::harness::{Seen, same, site};
use crate::updates::{has_ended, probe};

/// Pods of the base gang: the router, and a replica of the group.
const BASE: usize = 3;

/// Pods of a surge replica.
const SURGE: usize = 2;

/// With this `minReadySeconds` surge does not count before the test is over, so that the update
/// waits.
const FOR_AN_HOUR: u32 = 3600;

/// A router, and an engine that has surge in an update; only the engine has a version.
fn engine(resource: &str, version: &str, min_ready: u32) -> Value {
    let router = clique("router", resource, 1);
    let mut parts = ["lead", "work"].map(|name| clique(name, resource, 1));
    for part in &mut parts {
        part["annotations"] = json!({"example.com/version": version});
        probe(part);
    }
    let [lead, work] = parts;
    let mut engine = group("g", "lead", 1, 1);
    engine["cliqueNames"] = json!(["lead", "work"]);
    engine["rollingUpdate"] = json!({
        "maxSurge": 1,
        "maxUnavailable": 0,
        "minReadySeconds": min_ready,
    });
    set("svc", &[router, lead, work], &[engine])
}

/// Uids of the Ready pods of the base gang.
fn base(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter().filter(|pod| is_ready(pod));
    let of_base = pods.filter(|pod| pod["metadata"]["labels"]["grove.io/podgang"] == "svc-0");
    of_base
        .map(|pod| pod["metadata"]["uid"].to_string())
        .collect()
}

/// The surge is Ready beside the base gang, and fills the node.
fn expect_surge(seen: &Seen, serving: &BTreeSet<String>) -> Result<(), String> {
    same("new", &of_version(seen, "2"), &SURGE)?;
    same("the base gang", &base(seen), serving)?;
    seen.expect_ready_pods(BASE + SURGE)
}

/// All pods are on one node, so the scheduler chooses among the gangs, and not among nodes. The
/// surge is smaller and newer than the base gang.
#[test]
fn surge_makes_way_and_the_base_gang_stays() {
    let operator = started("native-surge-evicted", "Split");
    let control_plane = &site::gangs().control_plane;
    let nodes = Nodes::one(control_plane, "example.com/surge-evicted", BASE + SURGE);
    let ns = namespace("native-surge-evicted", &operator);
    ns.apply(&engine(&nodes.resource, "1", FOR_AN_HOUR));
    ns.until("the engine runs", |seen| seen.expect_ready_pods(BASE));
    let serving = base(&ns.look().unwrap());
    assert_eq!(serving.len(), BASE);
    ns.apply(&engine(&nodes.resource, "2", FOR_AN_HOUR));
    ns.until("surge is there", |seen| expect_surge(seen, &serving));
    let class = PriorityClass::create("e2e-native-surge-evicted");
    let mut urgent = set("urgent", &[clique("x", &nodes.resource, 1)], &[]);
    urgent["spec"]["template"]["priorityClassName"] = json!(class.0);
    ns.apply(&urgent);
    ns.until("the urgent pod has a place of the surge", |seen| {
        same("urgent", &bound(seen).get("urgent-0-x"), &Some(&1))?;
        same("on nodes", &bound(seen).values().sum(), &(BASE + 1))?;
        same("the base gang", &base(seen), &serving)
    });
    ns.kubectl(&["delete", "podcliqueset", "urgent"]);
    ns.until("surge is back", |seen| expect_surge(seen, &serving));
    ns.apply(&engine(&nodes.resource, "2", 0));
    ns.until("version 2 runs, and the update has ended", |seen| {
        same("new", &of_version(seen, "2"), &SURGE)?;
        seen.expect_ready_pods(BASE)?;
        has_ended(seen, "svc")
    });
    ns.delete();
}
