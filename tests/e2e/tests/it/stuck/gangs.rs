//! Gangs that wait for other gangs.

use serde_json::json;

use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::{Namespace, Seen, condition, same};

use super::{expect_words, is_explained, table};

#[test]
fn a_base_gang_that_is_not_ready() {
    let ns = Namespace::new("stuck-base");
    let cliques = [held_clique("router", 2), clique("worker", 1)];
    ns.apply(&set("svc", &cliques, &[group("workers", "worker", 2, 1)]));
    ns.until("each names the object that it waits for", |seen| {
        scaled_names_its_base(seen)?;
        base_names_what_it_lacks(seen)
    });
    expect_table(&ns);
    base_and_scaled_are_explained(&ns);
    for pod in ns.look().unwrap().pods("svc-0-router") {
        ns.set_pod_ready(pod["metadata"]["name"].as_str().unwrap());
    }
    ns.until("all of it runs", |seen| {
        is(seen, "PodCliqueSet", "svc", "True/AllReady")?;
        is(
            seen,
            "PodCliqueScalingGroup",
            "svc-0-workers",
            "True/AllReady",
        )?;
        is(seen, "PodClique", "svc-0-workers-1-worker", "True/AllReady")?;
        is(
            seen,
            "PodGang",
            "svc-0-workers-0",
            "True/GuaranteedPodsReady",
        )
    });
}

/// The set names the shortage of the base gang, a pod of the other gang its own cause.
fn base_and_scaled_are_explained(ns: &Namespace<'_>) {
    let lacks = "replica 0: clique router 0/2 pods ready";
    is_explained(ns, &["explain", "svc"], "PodsStarting", lacks);
    let seen = ns.look().unwrap();
    let pod = seen.pods("svc-0-workers-1-worker")[0]["metadata"]["name"].clone();
    let args = ["explain", "svc", "--pod", pod.as_str().unwrap()];
    let waits = "gang svc-0-workers-0 waits until its base gang svc-0 is ready";
    is_explained(ns, &args, "BaseGangNotReady", waits);
    // The PodGang is of one replica, and does not name it.
    let lacks = "the base gang is not: podclique svc-0-router 0/2 pods ready";
    is_explained(ns, &args, "BaseGangNotReady", lacks);
}

/// A kubelet shows that the init container runs.
#[test]
fn pods_that_start_after_others() {
    let ns = Namespace::new("stuck-order");
    let cliques = [held_clique("router", 1), held_clique("worker", 1)];
    let mut svc = set("svc", &cliques, &[]);
    svc["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    ns.apply(&svc);
    let worker = ns.until("the worker is on a node", |seen| {
        let pods = seen.pods("svc-0-worker");
        let worker = pods.first().ok_or("no worker")?;
        same("on a node", &worker["spec"]["nodeName"].is_string(), &true)?;
        Ok(worker["metadata"]["name"].as_str().unwrap().to_owned())
    });
    let running = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let init = json!({
        "name": "grove-initc", "image": "grove-initc:0.1.0", "imageID": "", "ready": false,
        "restartCount": 0, "state": running,
    });
    let patch = json!({"status": {"initContainerStatuses": [init]}});
    let patch = format!("--patch={patch}");
    ns.kubectl(&["patch", "pod", &worker, "--subresource=status", &patch]);
    ns.until("it names its dependency", |seen| {
        let name = "svc-0-worker";
        is(seen, "PodClique", name, "False/WaitingForStartOrder")?;
        let worker = seen.one("PodClique", name)?;
        expect_words(worker, "0/1 pods ready", "1 of svc-0-router")?;
        // The cause that holds the others back comes first.
        is(seen, "PodCliqueSet", "svc", "False/PodsStarting")
    });
    let args = ["explain", "svc", "--pod", &worker];
    let waits = format!("{worker} waits for ready pods: 1 of svc-0-router");
    is_explained(&ns, &args, "WaitingForStartOrder", &waits);
    let next = format!("{worker} starts once 1 pod of svc-0-router is ready; now 0 are");
    is_explained(&ns, &args, "WaitingForStartOrder", &next);
}

fn is(seen: &Seen, kind: &str, name: &str, ready: &str) -> Result<(), String> {
    let found = condition(seen.one(kind, name)?, "Ready");
    same(name, &found, &ready.to_owned())
}

fn scaled_names_its_base(seen: &Seen) -> Result<(), String> {
    let waits = "base gang svc-0 is ready";
    let name = "svc-0-workers-1-worker";
    is(seen, "PodClique", name, "False/BaseGangNotReady")?;
    expect_words(seen.one("PodClique", name)?, "gang svc-0-workers-0 ", waits)?;
    // One group replica is required, and it runs.
    let kind = "PodCliqueScalingGroup";
    is(seen, kind, "svc-0-workers", "True/MinimumReady")?;
    let group = seen.one(kind, "svc-0-workers")?;
    expect_words(group, "group replica 1: clique worker ", waits)
}

fn base_names_what_it_lacks(seen: &Seen) -> Result<(), String> {
    for (kind, name) in [("PodGang", "svc-0"), ("PodCliqueSet", "svc")] {
        is(seen, kind, name, "False/PodsStarting")?;
        expect_words(seen.one(kind, name)?, "router 0/2 pods ready", " starts")?;
    }
    is(seen, "PodClique", "svc-0-router", "False/PodsStarting")
}

fn expect_table(ns: &Namespace<'_>) {
    let table = table(ns);
    let row = |name: &str| {
        let mut rows = table.lines();
        rows.find(|row| {
            row.split_whitespace()
                .next()
                .is_some_and(|n| n.ends_with(name))
        })
    };
    for (name, state) in [
        ("/svc", "PodsStarting"),
        ("/svc-0-router", "PodsStarting"),
        ("/svc-0-workers", "MinimumReady"),
        ("/svc-0-workers-1-worker", "BaseGangNotReady"),
        ("svc-0", "PodsStarting"),
    ] {
        let is_shown = row(name).is_some_and(|row| row.contains(state));
        assert!(is_shown, "{name}: no {state} in\n{table}");
    }
}
