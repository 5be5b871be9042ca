//! The ten ways to be stuck of the end-to-end tests, each with its printed answer.

use cli::workload::Workload;
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::Event;
use rstest::rstest;
use serde_json::{Value, json};

use super::{draw, explain};
use crate::read::{demo_with, event, gated, on_node, unschedulable};

const GATE: &str = "grove.io/podgang-pending-creation";

pub type Case = (Workload, Vec<Event>);

fn refused(errors: &[&str], reason: &str) -> Case {
    let workload = demo_with(&[gated(&[GATE])], errors);
    let words = format!("replica 0: clique worker 1/2 pods created: {}", errors[0]);
    let told = [
        ("PodCliqueSet", "demo", reason, &*words),
        ("PodClique", "demo-0-worker", "PodCreateFailed", errors[0]),
    ];
    let told = told.map(|(kind, name, reason, message)| {
        event((kind, name), ("Warning", reason), message, (5, 6, 1))
    });
    (workload, told.to_vec())
}

fn unplaced(message: &str) -> Case {
    let workload = demo_with(&[unschedulable(message), unschedulable(message)], &[]);
    let pod = ("Pod", "demo-0-worker-bcdf0");
    let failed = ("Warning", "FailedScheduling");
    (workload, vec![event(pod, failed, message, (1, 290, 12))])
}

fn in_container(state: &Value, last: &Value, restarts: i32, told: (&str, &str)) -> Case {
    let pod = on_node(state, last, restarts);
    let pods = ["demo-0-worker-bcdf0", "demo-0-worker-bcdf1"];
    let (reason, message) = told;
    let events = pods.map(|pod| event(("Pod", pod), ("Warning", reason), message, (9, 280, 7)));
    (demo_with(&[pod.clone(), pod], &[]), events.to_vec())
}

fn quota() -> Case {
    let text = "create Pod demo-0-worker-bcdf1: pods \"demo-0-worker-bcdf1\" is forbidden: exceeded \
                quota: few-pods, requested: pods=1, used: pods=1, limited: pods=1";
    refused(&[text], "QuotaExceeded")
}

fn account() -> Case {
    let text = "create Pod demo-0-worker-bcdf1: pods \"demo-0-worker-bcdf1\" is forbidden: error \
                looking up service account default/robot: serviceaccount \"robot\" not found";
    refused(&[text], "ServiceAccountMissing")
}

fn priority() -> Case {
    let text = "create Pod demo-0-worker-bcdf1: pods \"demo-0-worker-bcdf1\" is forbidden: no \
                PriorityClass with name no-such-class was found";
    refused(&[text], "PriorityClassMissing")
}

pub fn gpu() -> Case {
    unplaced(
        "0/20 nodes are available: 20 Insufficient nvidia.com/gpu. no new claims to deallocate, \
         preemption: 0/20 nodes are available: 20 Preemption is not helpful for scheduling.",
    )
}

fn selector() -> Case {
    unplaced(
        "0/20 nodes are available: 20 node(s) didn't match Pod's node affinity/selector. \
         preemption: 0/20 nodes are available: 20 Preemption is not helpful for scheduling.",
    )
}

fn claim() -> Case {
    unplaced("0/20 nodes are available: persistentvolumeclaim \"weights\" not found.")
}

fn gate() -> Case {
    let pod = gated(&["example.com/queue"]);
    (demo_with(&[pod.clone(), pod], &[]), Vec::new())
}

fn image() -> Case {
    let state = json!({"waiting": {
        "reason": "ImagePullBackOff",
        "message": "Back-off pulling image \"example/main:1\": not found",
    }});
    let told = (
        "Failed",
        "Failed to pull image \"example/main:1\": not found",
    );
    in_container(&state, &json!({}), 0, told)
}

fn crash() -> Case {
    let state = json!({"waiting": {
        "reason": "CrashLoopBackOff",
        "message": "back-off 2m40s restarting failed container",
    }});
    let last = json!({"terminated": {
        "exitCode": 137, "reason": "OOMKilled",
        "message": "loading shard 3 of 8\nallocating 80 GiB\n\nno memory left\nbye",
    }});
    in_container(
        &state,
        &last,
        4,
        ("BackOff", "Back-off restarting failed container main"),
    )
}

/// No status has the cause of its failure.
fn volume() -> Case {
    let state = json!({"waiting": {"reason": "ContainerCreating"}});
    let told = (
        "FailedMount",
        "MountVolume.SetUp failed for volume \"keys\" : secret \"nothere\" not found",
    );
    in_container(&state, &json!({}), 0, told)
}

fn good_end() -> Case {
    let state = json!({"waiting": {
        "reason": "CrashLoopBackOff",
        "message": "back-off 2m40s restarting failed container",
    }});
    let last = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
    let told = ("BackOff", "Back-off restarting failed container main");
    in_container(&state, &last, 4, told)
}

/// Cause, chain, evidence, remedy and next steps of each.
#[rstest]
#[case::quota_is_used_up(quota(), "QuotaExceeded")]
#[case::account_is_missing(account(), "ServiceAccountMissing")]
#[case::priority_class_is_missing(priority(), "PriorityClassMissing")]
#[case::no_gpu(gpu(), "InsufficientResources")]
#[case::no_node_matches(selector(), "NodeSelectorUnmatched")]
#[case::claim_is_missing(claim(), "VolumeUnavailable")]
#[case::gate_of_somebody_else(gate(), "ForeignSchedulingGate")]
#[case::image_cannot_be_pulled(image(), "ImagePullFailed")]
#[case::container_crashes(crash(), "CrashLoop")]
#[case::container_ends_well(good_end(), "CrashLoop-exit-code-0")]
#[case::volume_is_not_mounted(volume(), "PodsStarting-FailedMount")]
fn each_way_to_be_stuck_has_its_answer(#[case] (workload, events): Case, #[case] name: &str) {
    let answer = explain(&workload, &events);
    assert_eq!(Some(&*answer.reason), name.split('-').next());
    assert!(answer.remedy.is_some());
    assert_snapshot!(name, draw(&answer));
}

/// Kubernetes deletes the pods first, and they are not recreated.
#[test]
fn a_namespace_that_goes_is_the_cause() {
    let (mut workload, events) = volume();
    workload.is_namespace_leaving = true;
    assert_snapshot!(draw(&explain(&workload, &events)));
}
