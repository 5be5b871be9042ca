//! Pods that the cluster takes away: eviction, deletion, drain.

use serde_json::{Value, json};

use super::judge::{available_is_latched, has, job as judge_job, same, text};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_going, is_ready, name, uid};
use super::sets::{clique, job, serving, sh, with};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "disruption::eviction_is_the_cause_of_a_restart",
            "6",
            eviction_is_the_cause,
        ),
        row(
            "disruption::eviction_that_is_ignored",
            "6",
            eviction_that_is_ignored,
        ),
        row("disruption::deleted_rank", "6", deleted_rank),
        row(
            "disruption::failures_of_one_name",
            "10",
            failures_of_one_name,
        ),
        row(
            "disruption::evicted_server_is_replaced",
            "-",
            evicted_server_is_replaced,
        ),
        row("disruption::deletion_shows", "R8", deletion_shows).of_soak(),
    ]
}

fn ranks(max_restarts: u32) -> Value {
    job(
        "job",
        max_restarts,
        &[clique("w", 2, &[sh("exec sleep 1000")])],
    )
}

/// The first pod of the PodClique once that many are Ready, and the operator has seen that.
fn first_of(ns: &Namespace, podclique: &str, ready: usize) -> String {
    ns.until("the pods are Ready", |seen| {
        let pods = seen.pods_of(podclique);
        let up = pods.iter().filter(|pod| is_ready(pod)).count();
        same("Ready pods", up, ready)?;
        available_is_latched(seen)?;
        Ok(name(pods[0]).to_owned())
    })
}

/// Evicts a pod, as `kubectl drain` does.
pub fn evict(ns: &Namespace, pod: &str) {
    let eviction = json!({
        "apiVersion": "policy/v1", "kind": "Eviction",
        "metadata": {"name": pod, "namespace": ns.name},
    });
    let path = format!("/api/v1/namespaces/{}/pods/{pod}/eviction", ns.name);
    let output = ns.feed(&["create", "--raw", &path, "-f", "-"], &eviction);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{pod} is not evicted: {error}");
}

/// Finding 6 and R3: events, `lastFailures` and `explain` name the pod and `EvictionByEvictionAPI`.
fn eviction_is_the_cause(ns: &Namespace) {
    ns.apply(&[&ranks(1)]);
    let pod = first_of(ns, "job-0-w", 2);
    evict(ns, &pod);
    ns.until("it is restarted", |seen| {
        judge_job(seen, "job", "Running", 1)
    });
    ns.until_event("ReplicaRestarting", &[&pod, "EvictionByEvictionAPI"]);
    ns.until("it is kept", |seen| {
        is_kept(seen, &pod, "EvictionByEvictionAPI")
    });
}

fn is_kept(seen: &Seen, pod: &str, reason: &str) -> Result<(), String> {
    let kept = &seen.set("job")?["status"]["lastFailures"];
    let is_it =
        |failure: &&Value| text(&failure["pod"]) == pod && failure.to_string().contains(reason);
    let found = kept.as_array().into_iter().flatten().find(is_it);
    found
        .map(|_| ())
        .ok_or_else(|| format!("no {pod}/{reason} in lastFailures: {kept}"))
}

/// Finding 6: `ignoreDisruptions` restarts the job without using its budget.
fn eviction_that_is_ignored(ns: &Namespace) {
    let ignores = json!({"spec": {"trainingSpec": {"ignoreDisruptions": true}}});
    ns.apply(&[&with(ranks(0), &ignores)]);
    let pod = first_of(ns, "job-0-w", 2);
    evict(ns, &pod);
    ns.until("it is restarted", |seen| {
        let status = &seen.set("job")?["status"];
        same(
            "disruptionRestarts",
            status["disruptionRestarts"].as_u64(),
            Some(1),
        )?;
        judge_job(seen, "job", "Running", 0)
    });
    first_of(ns, "job-0-w", 2);
}

/// A deleted pod is a failure, and is named.
fn deleted_rank(ns: &Namespace) {
    ns.apply(&[&ranks(1)]);
    let pod = first_of(ns, "job-0-w", 2);
    ns.kubectl(&["delete", "pod", &pod, "--wait=false"]);
    ns.until("it is restarted", |seen| {
        judge_job(seen, "job", "Running", 1)
    });
    ns.until_event("ReplicaRestarting", &[&pod]);
}

/// Finding 10: `lastFailures` identifies pods by uid, as names of pods come again.
///
/// The ranks fail only once all are Ready: a rank that fails while rank 0 is not up yet leaves no
/// pod available, and that ends the job.
fn failures_of_one_name(ns: &Namespace) {
    let mut fails = clique(
        "w",
        3,
        &[sh("until test -e /tmp/fail; do sleep 1; done; exit 5")],
    );
    fails["spec"]["minAvailable"] = 1.into();
    ns.apply(&[&job("job", 0, &[fails])]);
    for round in 1..=2 {
        first_of(ns, "job-0-w", 3);
        for slot in 1..=2 {
            let pod = fail_slot(ns, slot);
            ns.until("it is replaced, and its failure is kept", |seen| {
                is_kept_once(seen, &pod)?;
                same("kept", failures(seen)?.len(), 2 * (round - 1) + slot)
            });
            first_of(ns, "job-0-w", 3);
        }
    }
}

/// Ends the pod in the slot; returns its uid.
fn fail_slot(ns: &Namespace, slot: usize) -> String {
    let seen = ns.look().unwrap();
    let pod = seen.pods_of("job-0-w")[slot];
    ns.kubectl(&["exec", name(pod), "--", "touch", "/tmp/fail"]);
    uid(pod)
}

fn failures(seen: &Seen) -> Result<Vec<Value>, String> {
    let kept = seen.set("job")?["status"]["lastFailures"].as_array();
    Ok(kept.cloned().unwrap_or_default())
}

fn is_kept_once(seen: &Seen, pod: &str) -> Result<(), String> {
    let kept = failures(seen)?;
    let found = kept.iter().filter(|failure| failure["uid"] == pod).count();
    same("failures of the pod", found, 1)
}

/// A server's pod comes back in its slot.
fn evicted_server_is_replaced(ns: &Namespace) {
    ns.apply(&[&serving("s", &[clique("w", 2, &[sh("exec sleep 1000")])])]);
    let pod = first_of(ns, "s-0-w", 2);
    let before = ns.look().unwrap();
    let before = uid(before.one("Pod", &pod).unwrap());
    evict(ns, &pod);
    ns.until("both are Ready, one of them new", |seen| {
        let pods = seen.pods_of("s-0-w");
        let up = pods
            .iter()
            .filter(|pod| is_ready(pod) && uid(pod) != before)
            .count();
        same("Ready pods", up, 2)
    });
}

/// Finding R8: a set that is being deleted reports that while its pods end.
fn deletion_shows(ns: &Namespace) {
    let mut slow = clique("w", 1, &[sh("trap '' TERM; sleep 1000")]);
    slow["spec"]["podSpec"]["terminationGracePeriodSeconds"] = 12.into();
    ns.apply(&[&serving("s", &[slow])]);
    first_of(ns, "s-0-w", 1);
    ns.kubectl(&["delete", "pcs", "s", "--wait=false"]);
    ns.until("it is being deleted", |seen| {
        is_going(seen.set("s")?)
            .then_some(())
            .ok_or_else(|| "not yet".to_owned())
    });
    has("explain", &ns.explain("s"), &["is being deleted", "1 pod"]).unwrap();
    has("tree", &ns.grove(&["tree", "s"]), &["Terminating"]).unwrap();
}
