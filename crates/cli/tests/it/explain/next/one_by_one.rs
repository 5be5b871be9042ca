//! A gang of which a part has nodes.

use rstest::rstest;
use serde_json::{Value, json};

use crate::explain::{explain, next_of};
use crate::read::{demo_with, ready, unschedulable};

const MESSAGE: &str = "0/20 nodes are available: 20 Insufficient nvidia.com/gpu.";

/// The next steps of a gang of one pod on a node and one that finds none, with this spec.
fn next_beside(spec: &Value, minimum: i32) -> String {
    let mut waiting = unschedulable(MESSAGE);
    waiting["spec"] = spec.clone();
    let mut workload = demo_with(&[ready(), waiting], &[]);
    workload.podcliques[0].spec.min_available = Some(minimum);
    let next = next_of(&explain(&workload, &[]));
    next.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn pods_that_keep_their_nodes_are_counted() {
    let next = next_beside(&json!({}), 2);
    let words = "1 pod of gang demo-0 keeps its node meanwhile: default-scheduler places pods one \
                 by one; for all or nothing set the chart's value `config.scheduler.profiles` to \
                 `[{name: default-scheduler, backend: kubernetes}]` (Kubernetes 1.37, \
                 docs/gang-scheduling.md)";
    assert!(next.contains(words), "{next}");
}

#[rstest]
#[case::scheduler_knows_gangs(json!({"schedulerName": "kai-scheduler"}), 2)]
#[case::pod_has_a_group(json!({"schedulingGroup": {"podGroupName": "demo-0"}}), 2)]
#[case::minimum_has_nodes(json!({}), 1)]
fn other_gangs_are_not_mentioned(#[case] spec: Value, #[case] minimum: i32) {
    let next = next_beside(&spec, minimum);
    assert!(!next.contains("one by one"), "{next}");
}
