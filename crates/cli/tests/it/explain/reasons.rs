//! A condition has the time of its status; its reason may be newer, and only an event has that time.

use rstest::rstest;
use serde_json::json;

use super::{draw, explain};
use crate::read::{demo_with, event, unschedulable};

/// Not Ready since 00:00:05, and an event of this reason at this second.
#[rstest]
#[case::of_the_change_itself("InsufficientResources", 6, None)]
#[case::of_a_later_reason("InsufficientResources", 100, Some("2026-01-01 00:01:40"))]
#[case::of_another_reason("ImagePullFailed", 100, None)]
fn the_time_of_a_reason_is_that_of_its_event(
    #[case] reason: &str,
    #[case] seconds: i64,
    #[case] reported: Option<&str>,
) {
    let waits = || unschedulable("0/20 nodes are available: 20 Insufficient nvidia.com/gpu.");
    let workload = demo_with(&[waits(), waits()], &[]);
    let told = event(
        ("PodCliqueSet", "demo"),
        ("Warning", reason),
        "0/20 nodes are available",
        (seconds, 200, 3),
    );
    let text = draw(&explain(&workload, &[told]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let since = "podcliqueset/demo Ready=False since 2026-01-01 00:00:05 (4m ago), now \
                 InsufficientResources";
    assert!(words.contains(since), "{text}");
    let first = words.split_once("(first reported ").map(|(_, rest)| rest);
    let first = first.map(|rest| rest.split(" (").next().unwrap_or_default());
    assert_eq!(first, reported, "{text}");
}

/// A scheduler that does not run leaves the condition of the gates on the pod.
#[rstest]
#[case::gated(&["example.com/queue"], true)]
#[case::no_longer_gated(&[], false)]
fn gates_that_are_gone_are_no_evidence(#[case] gates: &[&str], #[case] expected: bool) {
    let gates: Vec<_> = gates.iter().map(|gate| json!({"name": gate})).collect();
    let pod = json!({
        "spec": {"schedulingGates": gates},
        "status": {"phase": "Pending", "conditions": [{
            "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastTransitionTime": "2026-01-01T00:00:01Z",
        }]},
    });
    let text = draw(&explain(&demo_with(&[pod.clone(), pod], &[]), &[]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.contains("Scheduling is blocked"), expected, "{text}");
}
