//! ClusterTopologyBindings that change, or do not exist.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fabric::Fabric;
use super::{PODS, expect_packed, racks, service};
use crate::harness::lane::Lane;
use crate::harness::seen::gates;
use crate::harness::{Seen, condition, same};
use crate::schedulers::kubernetes::told;

const LEVELS: &str = "TopologyLevelsUnavailable";
const UNSUPPORTED: &str = "SchedulingFeatureUnsupported";

fn uids(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter();
    pods.map(|pod| pod["metadata"]["uid"].to_string()).collect()
}

/// The set has this verdict on its levels, with these words, and says that gangs wait.
fn expect_held(seen: &Seen, verdict: &str, words: &[&str]) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    same(LEVELS, &condition(set, LEVELS).as_str(), &verdict)?;
    let message = told(seen, "PodCliqueSet", "svc", LEVELS)?;
    for words in words {
        same(&message, &message.contains(words), &true)?;
    }
    let unsupported = condition(set, UNSUPPORTED);
    same(
        UNSUPPORTED,
        &unsupported.as_str(),
        &"True/TopologyUnavailable",
    )?;
    let ready = condition(set, "Ready");
    same("Ready", &ready.as_str(), &"False/TopologyUnavailable")
}

/// That many pods have a gate, and no node.
fn expect_gated(seen: &Seen, count: usize) -> Result<(), String> {
    let pods = seen.all("Pod").into_iter();
    let is_held = |pod: &&Value| !gates(pod).is_empty() && pod["spec"]["nodeName"].is_null();
    same("gated pods", &pods.filter(is_held).count(), &count)
}

/// The set has all levels, and its gangs have nodes.
fn expect_running(seen: &Seen, pods: usize) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    let all = "False/AllClusterTopologyLevelsAvailable";
    same(LEVELS, &condition(set, LEVELS).as_str(), &all)?;
    same(UNSUPPORTED, &condition(set, UNSUPPORTED).as_str(), &"")?;
    seen.expect_ready_pods(pods)
}

#[test]
fn a_level_that_is_removed_holds_back_only_new_gangs() {
    let lane = Lane::start_with_topology("domains-level");
    let fabric = Fabric::new("domains-level", 4);
    fabric.bind(&["zone", "rack"]);
    let ns = lane.namespace();
    let service = service(&fabric);
    ns.apply(&service);
    ns.until("it runs", |seen| {
        expect_running(seen, PODS)?;
        expect_packed(&racks(seen, PODS)?)
    });
    let before = uids(&ns.look().unwrap());

    fabric.bind(&["zone"]);
    ns.kubectl(&["scale", "pcs/svc", "--replicas=2"]);
    ns.until("a new replica waits", |seen| {
        let words = ["has no level rack", "its levels are zone"];
        expect_held(seen, "True/ClusterTopologyLevelsUnavailable", &words)?;
        expect_gated(seen, PODS)
    });
    let now = uids(&ns.look().unwrap());
    assert!(before.is_subset(&now), "{before:?} {now:?}");

    fabric.bind(&["zone", "rack"]);
    ns.until("it starts", |seen| expect_running(seen, 2 * PODS));
    let now = uids(&ns.look().unwrap());
    assert!(before.is_subset(&now), "{before:?} {now:?}");
    ns.delete();
}

#[test]
fn a_set_waits_for_a_binding_that_does_not_exist() {
    let lane = Lane::start_with_topology("domains-none");
    let fabric = Fabric::new("domains-none", 4);
    let ns = lane.namespace();
    ns.apply(&service(&fabric));
    ns.until("it waits for its binding", |seen| {
        let words = [&*fabric.name, "does not exist"];
        expect_held(seen, "Unknown/ClusterTopologyNotFound", &words)?;
        expect_gated(seen, PODS)
    });
    fabric.bind(&["zone", "rack", "host"]);
    ns.until("it starts", |seen| {
        expect_running(seen, PODS)?;
        expect_packed(&racks(seen, PODS)?)
    });
    ns.delete();
}
