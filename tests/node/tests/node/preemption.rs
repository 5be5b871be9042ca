//! Pods that others preempt.

use node_tests::cluster::NODES;
use serde_json::{Value, json};

use super::judge::{available_is_latched, job as judge_job, same};
use super::namespace::Namespace;
use super::row::{Row, row_alone};
use super::seen::is_ready;
use super::sets::{clique, job, sh, with, with_pod};

/// The rows of this theme. They use a node's processors, which other rows would need.
pub fn rows() -> Vec<Row> {
    let test = |_: &_| Namespace::with("preemption", &json!({}), preemption_is_the_cause);
    vec![row_alone("preemption::is_the_cause_of_a_restart", "R3", test).of_soak()]
}

/// More than half of a node's processors.
fn large(name: &str) -> Value {
    let node = json!({"nodeSelector": {"kubernetes.io/hostname": NODES[1]}});
    let request = json!({"resources": {"requests": {"cpu": "1100m"}}});
    with_pod(
        clique(name, 1, &[with(sh("exec sleep 1000"), &request)]),
        &node,
    )
}

/// R3: a preempted pod is reported as preempted by the scheduler.
fn preemption_is_the_cause(ns: &Namespace) {
    let class = json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": ns.name}, "value": 1000,
    });
    ns.apply(&[&class]);
    ns.apply(&[&job("job", 1, &[large("w")])]);
    ns.until("it runs", |seen| {
        available_is_latched(seen)?;
        same(
            "Ready pods",
            seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
            1,
        )
    });
    let pod = large("p")["spec"]["podSpec"].clone();
    let pod =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "important"}, "spec": pod});
    let important = json!({"spec": {"priorityClassName": ns.name, "restartPolicy": "Never"}});
    ns.apply(&[&with(pod, &important)]);
    ns.until("it is restarted", |seen| {
        same(
            "restartCount",
            seen.set("job")?["status"]["restartCount"].as_u64(),
            Some(1),
        )
    });
    ns.until_event("ReplicaRestarting", &["job-0-w-", "PreemptionByScheduler"]);
    ns.kubectl(&["delete", "pod", "important", "--wait=false"]);
    ns.until("it runs again", |seen| judge_job(seen, "job", "Running", 1));
    ns.kubectl(&["delete", "priorityclass", &ns.name]);
}
