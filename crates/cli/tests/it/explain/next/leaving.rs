//! Pods that hang in Terminating.

use cli::explain::{Explanation, read_leaving_nodes};

use super::*;
use crate::server::Server;

/// A Ready pod whose deletion was asked for ten seconds ago, with 30 s of grace.
fn leaving() -> Value {
    let mut pod = ready();
    pod["metadata"] = json!({
        "deletionTimestamp": after(320).to_string(), "deletionGracePeriodSeconds": 30,
    });
    pod
}

fn job_with_a_leaving_pod() -> Workload {
    let mut workload = demo_with(&[ready(), leaving()], &[]);
    workload.set.spec.workload_type = Some(WorkloadType::Training);
    workload.podcliques[0].spec.workload_type = Some(WorkloadType::Training);
    workload
}

/// Time and text of the steps about terminating pods.
fn steps_of(answer: &Explanation) -> Vec<(String, &str)> {
    let steps = answer.next.iter();
    steps
        .filter(|step| step.text.contains("terminating"))
        .map(|step| (step.at.unwrap().to_string(), step.text.as_str()))
        .collect()
}

/// Its `deletionTimestamp` is the end of the grace period.
#[test]
fn a_pod_terminates_since_its_deletion_was_asked_for() {
    let workload = demo_with(&[ready(), leaving()], &[]);
    let text = "demo-0-worker-bcdf1, terminating for 10s, stops counting if it is still there then \
                (stuckPodTimeout; 60s unless the operator's configuration says otherwise)";
    let expected = vec![(after(380).to_string(), text)];
    assert_eq!(steps_of(&explain(&workload, &[])), expected);
}

/// In a job the node decides.
#[test]
fn only_the_step_of_the_nodes_state_is_shown() {
    let mut workload = job_with_a_leaving_pod();
    let pod = "demo-0-worker-bcdf1";
    let cases = [
        (
            Some(true),
            vec![(920, "as node node-0 is Ready (stuckPodTimeoutOnReadyNode;")],
        ),
        (
            Some(false),
            vec![(
                380,
                "as node node-0 is gone, not Ready or out of service (stuckPodTimeout;",
            )],
        ),
        (
            None,
            vec![
                (380, "if node node-0 is gone or not Ready (stuckPodTimeout;"),
                (920, "if node node-0 is Ready (stuckPodTimeoutOnReadyNode;"),
            ],
        ),
    ];
    for (state, expected) in cases {
        let known = state.map(|is_in_service| ("node-0".to_owned(), is_in_service));
        workload.nodes_in_service = known.into_iter().collect();
        let answer = explain_pod(&workload, pod);
        let steps = steps_of(&answer);
        assert_eq!(steps.len(), expected.len(), "{steps:?}");
        for ((at, text), (second, words)) in steps.into_iter().zip(expected) {
            assert_eq!(at, after(second).to_string(), "{text}");
            assert!(text.contains(words), "{text}");
        }
    }
}

/// The PodClique of the finding is one of those of the earlier attempt.
#[test]
fn a_pod_of_an_earlier_attempt_is_named_once() {
    let mut workload = demo_with(&[leaving(), ready()], &[]);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![ReplicaAttempt {
        replica: 0,
        attempt: 1,
        time: Time(after(200)),
        reason: ReplicaAttempt::BREACHED.to_owned(),
        message: "PodClique demo-0-worker: 1 of 2 required pods ready".to_owned(),
        cause: None,
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(false),
    }];
    judge(&mut workload);
    let answer = explain(&workload, &[]);
    assert_eq!(answer.reason, "ReplicaTerminating");
    assert_eq!(steps_of(&answer).len(), 1, "{:?}", answer.next);
}

const NODES: &str = "/api/v1/nodes";

fn node(name: &str, ready: &str, taints: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "spec": {"taints": taints},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    })
}

#[tokio::test]
async fn the_nodes_of_a_jobs_leaving_pods_are_read() {
    let server = Server::default();
    server.put(NODES, node("a", "True", &json!([])));
    server.put(NODES, node("b", "Unknown", &json!([])));
    let taint = json!([{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]);
    server.put(NODES, node("c", "True", &taint));
    server.forbid(&format!("{NODES}/e"));
    let mut workload = job_with_a_leaving_pod();
    let pod = workload.pods.remove(1);
    workload.pods = ["a", "b", "c", "d", "e"]
        .map(|node| {
            let mut pod = pod.clone();
            pod.spec.as_mut().unwrap().node_name = Some(node.to_owned());
            pod
        })
        .to_vec();
    let states = read_leaving_nodes(&server.cluster(), &workload).await;
    let known = [("a", true), ("b", false), ("c", false), ("d", false)];
    let expected = known.map(|(node, is_in_service)| (node.to_owned(), is_in_service));
    assert_eq!(states, expected.into());
    workload.set.spec.workload_type = None;
    let states = read_leaving_nodes(&server.cluster(), &workload).await;
    assert!(states.is_empty(), "{states:?}");
}
