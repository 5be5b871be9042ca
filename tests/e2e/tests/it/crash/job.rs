//! Training jobs, cut short at every write.

use serde_json::{Value, json};

use super::walk::Scenario;
use super::{attempts, small, small_runs};
use crate::harness::{Namespace, Seen, condition, same};

/// A pod fails and its replica is restarted: counted once, even if the decision is repeated.
pub const RESTART: Scenario = Scenario {
    name: "restart",
    begins_with: Some((|set| job(set, 3), 2)),
    step: fail,
    is_done: |seen, set| {
        small_runs(seen, set, 1)?;
        attempts(seen, "PodCliqueSet", set)?;
        let status = &seen.one("PodCliqueSet", set)?["status"];
        same(set, &status["restartCount"], &json!(1))
    },
    deleted: &["0-a#0", "0-g-0-b#0"],
    are_replaced: true,
    events: &["ReplicaRestarting", "PodCliqueFailed"],
};

/// A pod fails without budget: the phase follows once the last pod ended, and is final.
pub const FINAL_FAILURE: Scenario = Scenario {
    name: "final-failure",
    begins_with: Some((|set| job(set, 0), 2)),
    step: fail,
    is_done: has_failed,
    deleted: &["0-g-0-b#0"],
    are_replaced: false,
    events: &["MaxRestartsExceeded", "PodCliqueFailed"],
};

fn job(name: &str, restarts: u32) -> Value {
    let mut job = small(name, 1);
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": restarts});
    job
}

fn fail(ns: &Namespace<'_>, set: &str) {
    let selector = format!("--selector=grove.io/podclique={set}-0-a");
    let pod = ns.kubectl(&["get", "pods", &selector, "--output=name"]);
    let not = |type_: &str| json!({"type": type_, "status": "False"});
    let status = json!({"status": {
        "phase": "Failed",
        "conditions": [not("Ready"), not("ContainersReady")],
    }});
    let patch = format!("--patch={status}");
    ns.kubectl(&["patch", pod.trim(), "--subresource=status", &patch]);
}

fn has_failed(seen: &Seen, set: &str) -> Result<(), String> {
    let job = seen.one("PodCliqueSet", set)?;
    let why = "True/MaxRestartsExceeded".to_owned();
    same(set, &condition(job, "Failed"), &why)?;
    same(set, &job["status"]["restartCount"], &json!(0))?;
    let running = seen.all("Pod").into_iter();
    let running = running.filter(|p| p["status"]["phase"] != "Failed");
    same("unfinished pods", &running.count(), &0)?;
    same(set, &job["status"]["phase"], &json!("Failed"))
}
