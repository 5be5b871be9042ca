//! The end of a job, and its report.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{
    await_events, ends, exit, fail, is, job, pair, pods, pods_of, set_status, succeed, witness,
};
use crate::harness::manifest::{clique, group};
use crate::harness::{Namespace, condition, same};
use crate::termination::started;

#[test]
fn when_all_pods_exit_with_0_it_succeeded_and_nothing_runs_again() {
    let ns = Namespace::new("job-success");
    let cliques = [clique("a", 2), clique("b", 1)];
    let x = job("x", 0, &cliques, &[group("g", "b", 2, 2)]);
    started(&ns, &[(x, 1)]);
    let wait = "--for=jsonpath={.status.phase}=Succeeded";
    let mut wait = ns.command(&["wait", wait, "pcs/x", "--timeout=120s"]);
    let mut wait = wait.stdout(Stdio::null()).spawn().unwrap();

    succeed(&ns, &["x-0-a", "x-0-g-0-b"]);
    ns.until("part of it is done", |seen| {
        for (podclique, indices) in [("x-0-a", "0-1"), ("x-0-g-0-b", "0")] {
            let podclique = seen.one("PodClique", podclique)?;
            let done = condition(podclique, "Succeeded");
            same("Succeeded", &done, &"True/AllPodsCompleted".to_owned())?;
            let completed = &podclique["status"]["completedIndices"];
            same("completed", completed, &json!(indices))?;
        }
        is(seen, "x", &json!({"phase": "Running"}))
    });
    succeed(&ns, &["x-0-g-1-b"]);
    ends(&ns, "x", "Succeeded", 0);
    assert!(wait.wait().unwrap().success(), "kubectl wait");
    let events = await_events(&ns, "x", "WorkloadSucceeded", 1);
    assert_eq!(events, ["all PodCliques have done their work"]);
    shows(&ns, "x", "Succeeded", 0);

    let mut left = ns.look().map(|seen| pods(&seen, "x")).unwrap();
    let (removed, _) = left.remove(0);
    ns.kubectl(&["delete", "pod", &removed]);
    witness(&ns, "witness");
    let now = ns.look().map(|seen| pods(&seen, "x")).unwrap();
    assert_eq!(now, left, "nothing runs again, and logs are kept");
    ends(&ns, "x", "Succeeded", 0);
}

/// `kubectl get pcs` fits a terminal and shows phase, restarts and age.
fn shows(ns: &Namespace<'_>, set: &str, phase: &str, restarts: u32) {
    let table = ns.kubectl(&["get", "pcs", set]);
    let mut lines = table.lines();
    let titles: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    let row: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    let cell = |title| row[titles.iter().position(|t| *t == title).unwrap()];
    assert_eq!(cell("PHASE"), phase, "{table}");
    assert_eq!(cell("RESTARTS"), restarts.to_string(), "{table}");
    assert!(cell("AGE").ends_with(['s', 'm']), "{table}");
    assert!(table.lines().all(|line| line.len() <= 80), "{table}");
}

#[test]
fn without_budget_a_single_failure_ends_it_and_says_why() {
    let ns = Namespace::new("job-failure");
    let cliques = [clique("a", 2), clique("b", 1)];
    let x = job("x", 0, &cliques, &[group("g", "b", 1, 1)]);
    started(&ns, &[(x, 1), (pair("evicted", 0), 1)]);
    let failed = fail(&ns, "x-0-a", 1);
    let evicted = pods_of(&ns, &["evicted-0-a"])[..1].to_vec();
    let why = "The node was low on resource: memory.";
    let status = json!({"phase": "Failed", "reason": "Evicted", "message": why});
    set_status(&ns, &evicted, &status);

    ends(&ns, "x", "Failed", 0);
    ends(&ns, "evicted", "Failed", 0);
    let seen = ns.look().unwrap();
    let left: Vec<_> = pods(&seen, "x").into_iter().map(|(pod, _)| pod).collect();
    assert_eq!(left, [failed.as_str()], "the others ended before the phase");
    let set = seen.one("PodCliqueSet", "x").unwrap();
    assert_eq!(condition(set, "Failed"), "True/MaxRestartsExceeded");
    let node = &seen.pods("x-0-a")[0]["spec"]["nodeName"];
    let should = json!([{
        "pod": failed, "node": node, "reason": "Error", "exitCode": 1, "message": "NCCL timeout",
    }]);
    is(&seen, "x", &json!({"lastFailures": should})).unwrap();
    let should = json!([{
        "pod": evicted[0], "reason": "Evicted", "exitCode": Value::Null, "message": why,
    }]);
    is(&seen, "evicted", &json!({"lastFailures": should})).unwrap();
    for set in ["x", "evicted"] {
        for reason in ["MaxRestartsExceeded", "PodCliqueFailed"] {
            let events = await_events(&ns, set, reason, 1);
            assert!(events[0].contains(&format!("{set}-0-a")), "{events:?}");
        }
    }
    shows(&ns, "x", "Failed", 0);
}

#[test]
fn in_any_phase_a_deleted_job_leaves_nothing_behind() {
    let ns = Namespace::new("job-gone");
    let mut pending = pair("pending", 0);
    let spec = &mut pending["spec"]["template"]["cliques"][0]["spec"];
    spec["podSpec"]["nodeSelector"] = json!({"example.com/there-is": "none"});
    ns.apply(&pending);
    let jobs = ["running", "succeeded", "failed"];
    started(&ns, &jobs.map(|name| (pair(name, 0), 1)));
    succeed(&ns, &["succeeded-0-a"]);
    exit(&ns, &pods_of(&ns, &["failed-0-a"])[..1], 137, "killed");
    ns.until("one in each phase", |seen| {
        is(seen, "pending", &json!({"phase": "Pending"}))?;
        is(seen, "running", &json!({"phase": "Running"}))?;
        is(seen, "succeeded", &json!({"phase": "Succeeded"}))?;
        is(seen, "failed", &json!({"phase": "Failed"}))
    });
    ns.kubectl(&["delete", "pcs", "--all", "--wait=false"]);
    ns.until_nothing_is_left();
}
