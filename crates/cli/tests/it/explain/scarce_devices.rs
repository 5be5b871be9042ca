//! A device that no node has: the scheduler reports it as it reports nodes without room.

use std::collections::BTreeSet;

use cli::explain::{Explanation, ScarceDevice, search, tell_missing};
use cli::workload::Workload;
use rstest::rstest;
use serde_json::json;

use super::draw;
use crate::read::{demo_with, now, unschedulable};

const FIELD: &str = "spec.template.cliques[0].spec.podSpec.containers[0].resources.limits";

/// Set `demo` requests this device, and its scheduler reports this.
fn asking_for(device: &str, message: &str) -> Workload {
    let mut workload = demo_with(&[unschedulable(message), unschedulable(message)], &[]);
    let main = json!({
        "name": "main", "image": "example/main:1",
        "resources": {"limits": {device: "1", "cpu": "4"}},
    });
    let clique = &mut workload.set.spec.template.cliques[0];
    clique.spec.pod_spec.containers = serde_json::from_value(json!([main])).unwrap();
    workload
}

fn scarce_in(workload: &Workload) -> Vec<ScarceDevice> {
    let podcliques = workload.observe();
    let found = search(workload, &podcliques, None, now()).unwrap();
    found.scarce_devices()
}

/// The answer where the nodes have these resources.
fn explain_with(workload: &Workload, offered: &[&str]) -> Explanation {
    let podcliques = workload.observe();
    let found = search(workload, &podcliques, None, now()).unwrap();
    let mut answer = found.explain(&[]);
    let offered: BTreeSet<String> = offered.iter().map(|name| (*name).to_owned()).collect();
    tell_missing(&mut answer, &found.scarce_devices(), &offered);
    answer
}

fn lacking(device: &str) -> Workload {
    let message =
        format!("0/20 nodes are available: 4 Insufficient cpu, 20 Insufficient {device}.");
    asking_for(device, &message)
}

#[rstest]
#[case::misspelt(
    "nvidia.com/gpus",
    "no node has nvidia.com/gpus; did you mean nvidia.com/gpu? Write it into `FIELD` with `kubectl edit \
     podcliqueset demo -n default`"
)]
#[case::without_a_plugin(
    "example.com/npu",
    "no node has example.com/npu: add such nodes, install its device plugin, or correct the name in `FIELD` \
     with `kubectl edit podcliqueset demo -n default`"
)]
#[case::all_taken(
    "nvidia.com/gpu",
    "free or add nodes; `kubectl describe nodes` lists the requests on each node"
)]
fn a_device_that_no_node_has_is_named_with_its_field(#[case] device: &str, #[case] remedy: &str) {
    let answer = explain_with(&lacking(device), &["cpu", "memory", "nvidia.com/gpu"]);
    assert_eq!(answer.reason, "InsufficientResources");
    assert_eq!(answer.remedy, Some(remedy.replace("FIELD", FIELD)));
    let is_named = answer.cause.ends_with(&format!("; no node has {device}"));
    assert_eq!(is_named, device != "nvidia.com/gpu", "{}", answer.cause);
    draw(&answer);
}

#[test]
fn the_field_of_a_device_has_no_key() {
    let expected = ScarceDevice {
        name: "nvidia.com/gpus".to_owned(),
        field: FIELD.to_owned(),
    };
    assert_eq!(scarce_in(&lacking("nvidia.com/gpus")), [expected]);
}

/// The nodes are not read for it.
#[rstest]
#[case::another_device("0/20 nodes are available: 20 Insufficient nvidia.com/gpu-a.")]
#[case::no_device("0/20 nodes are available: 20 Insufficient cpu.")]
#[case::another_cause(
    "0/20 nodes are available: 20 node(s) didn't match Pod's node affinity/selector."
)]
fn a_device_that_the_scheduler_does_not_name_is_not_scarce(#[case] message: &str) {
    let workload = asking_for("nvidia.com/gpu", message);
    assert_eq!(scarce_in(&workload), Vec::new());
}
