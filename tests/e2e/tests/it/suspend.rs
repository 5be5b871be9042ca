//! Suspend and resume of sets and jobs, and the deletion of jobs that are over.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same};
use crate::training::succeed;

/// A job of one clique of two pods, without restarts.
fn job(name: &str) -> Value {
    let mut job = set(name, &[clique("a", 2)], &[]);
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": 0});
    job
}

fn patch(ns: &Namespace<'_>, name: &str, spec: &Value) {
    let set = format!("pcs/{name}");
    let patch = format!("--patch={}", json!({"spec": spec}));
    ns.kubectl(&["patch", &set, "--type=merge", &patch]);
}

fn suspend(ns: &Namespace<'_>, name: &str, suspend: bool) {
    patch(ns, name, &json!({"suspend": suspend}));
}

/// Fails unless the set says that it is suspended, and no pod is left.
pub fn expect_suspended(seen: &Seen, name: &str) -> Result<(), String> {
    let found = seen.one("PodCliqueSet", name)?;
    same("pods", &seen.all("Pod").len(), &0)?;
    same(
        "Ready",
        &condition(found, "Ready").as_str(),
        &"False/Suspended",
    )?;
    let stored = condition(found, "Suspended");
    same("Suspended", &stored.as_str(), &"True/SuspendRequested")?;
    same("phase", &found["status"]["phase"], &json!("Pending"))
}

/// Fails unless the set says that it is resumed, and that many pods are Ready.
pub fn expect_resumed(seen: &Seen, name: &str, pods: usize) -> Result<(), String> {
    seen.expect_ready_pods(pods)?;
    let found = seen.one("PodCliqueSet", name)?;
    same(
        "Ready",
        &condition(found, "Ready").as_str(),
        &"True/AllReady",
    )?;
    same(
        "Suspended",
        &condition(found, "Suspended").as_str(),
        &"False/Resumed",
    )
}

/// Every object but the pods stays, nothing is terminated, and all of it starts again.
#[test]
fn many_pods_are_away_and_back() {
    const PODS: usize = 101;
    let ns = Namespace::new("suspend-many");
    let cliques = [clique("front", 1), clique("worker", 50)];
    let mut svc = set("svc", &cliques, &[group("workers", "worker", 2, 1)]);
    svc["spec"]["template"]["terminationDelay"] = json!("1s");
    ns.apply(&svc);
    ns.until("all runs", |seen| seen.expect_ready_pods(PODS));
    let kept = ns.look().unwrap();
    suspend(&ns, "svc", true);
    ns.until("no pod is left", |seen| expect_suspended(seen, "svc"));
    ns.until("the rest is there", |seen| {
        for kind in ["PodClique", "PodCliqueScalingGroup", "PodGang", "Service"] {
            same(kind, &seen.all(kind).len(), &kept.all(kind).len())?;
        }
        Ok(())
    });
    suspend(&ns, "svc", false);
    ns.until("all runs again", |seen| expect_resumed(seen, "svc", PODS));
    let seen = ns.look().unwrap();
    let set = seen.one("PodCliqueSet", "svc").unwrap();
    assert_eq!(set["status"]["replicaAttempts"], Value::Null);
}

/// The pods of before are away by then, whatever the controllers saw.
#[test]
fn a_job_that_is_suspended_and_resumed_at_once_never_fails() {
    let ns = Namespace::new("suspend-job");
    ns.apply(&job("job"));
    ns.until("it runs", |seen| seen.expect_ready_pods(2));
    for _ in 0..5 {
        suspend(&ns, "job", true);
        suspend(&ns, "job", false);
        ns.until("it runs again", |seen| {
            seen.expect_ready_pods(2)?;
            let found = seen.one("PodCliqueSet", "job")?;
            same("phase", &found["status"]["phase"], &json!("Running"))?;
            same("failed", &condition(found, "Failed").as_str(), &"")?;
            same("restarts", &found["status"]["restartCount"], &json!(0))
        });
    }
}

/// It has no start time yet, and starts when it is resumed.
#[test]
fn a_job_may_be_created_suspended() {
    let ns = Namespace::new("suspend-created");
    let mut job = job("job");
    job["spec"]["suspend"] = json!(true);
    ns.apply(&job);
    ns.until("its PodClique is there", |seen| {
        seen.expect_names("PodClique", &["job-0-a"])?;
        expect_suspended(seen, "job")?;
        let found = seen.one("PodCliqueSet", "job")?;
        same("startTime", &found["status"]["startTime"], &Value::Null)
    });
    suspend(&ns, "job", false);
    ns.until("it runs", |seen| expect_resumed(seen, "job", 2));
}

#[test]
fn a_job_that_is_over_is_deleted_after_its_time() {
    let ns = Namespace::new("suspend-ttl");
    let mut short = job("short");
    short["spec"]["trainingSpec"]["ttlAfterFinished"] = json!("2s");
    ns.apply(&short);
    ns.until("it runs", |seen| seen.expect_ready_pods(2));
    succeed(&ns, &["short-0-a"]);
    ns.until("all of it is gone", |seen| {
        seen.expect_names("PodCliqueSet", &[])?;
        seen.expect_names("PodClique", &[])?;
        same("pods", &seen.all("Pod").len(), &0)
    });
}

/// The time may be changed after the end.
#[test]
fn a_job_that_is_over_gets_another_time() {
    let ns = Namespace::new("suspend-later");
    let mut long = job("long");
    long["spec"]["trainingSpec"]["ttlAfterFinished"] = json!("1h");
    ns.apply(&long);
    ns.until("it runs", |seen| seen.expect_ready_pods(2));
    succeed(&ns, &["long-0-a"]);
    ns.until("it is over", |seen| {
        let found = seen.one("PodCliqueSet", "long")?;
        same("phase", &found["status"]["phase"], &json!("Succeeded"))
    });
    patch(
        &ns,
        "long",
        &json!({"trainingSpec": {"ttlAfterFinished": "0s"}}),
    );
    ns.until("it is gone", |seen| seen.expect_names("PodCliqueSet", &[]));
}
