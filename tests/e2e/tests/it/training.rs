//! Training jobs (docs/semantics.md §5). Tests end pods by hand: they patch the status as a kubelet
//! would. A second job that was restarted meanwhile shows that something does *not* happen.

mod deleted;
mod elastic;
mod example;
mod exits;
mod finishing;
mod limit;
mod orphaned;
mod outcome;
mod refused;
mod restarts;

use serde_json::{Value, json};

use crate::availability::writers::now;
use crate::harness::manifest::{clique, set};
use crate::harness::seen::{index, name};
use crate::harness::{Namespace, Seen, same, subset};

/// A job with that many restarts.
fn job(name: &str, restarts: u32, cliques: &[Value], groups: &[Value]) -> Value {
    let mut job = set(name, cliques, groups);
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": restarts});
    job
}

/// A job of one clique of two pods, both required.
fn pair(name: &str, restarts: u32) -> Value {
    job(name, restarts, &[clique("a", 2)], &[])
}

/// The containers of these pods exit, as a kubelet shows it: the last phase is another write. By
/// then a pod may be gone, or deleted; a kubelet removes a deleted pod as soon as it has ended.
fn exit(ns: &Namespace<'_>, pods: &[String], code: i32, message: &str) {
    set_status(ns, pods, &exited(code, message));
    let phase = if code == 0 { "Succeeded" } else { "Failed" };
    let patch = format!("--patch={}", json!({"status": {"phase": phase}}));
    for pod in pods {
        let shown = "-o=jsonpath={.metadata.deletionTimestamp}/{.metadata.finalizers}";
        let args = ["patch", "pod", pod, "--subresource=status", &patch, shown];
        let output = ns.command(&args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let is_gone = error.contains("(NotFound)");
        assert!(output.status.success() || is_gone, "{error}");
        let shown = String::from_utf8_lossy(&output.stdout);
        let (deleted, held) = shown.split_once('/').unwrap_or_default();
        if !deleted.is_empty() && held.is_empty() {
            ns.kubectl(&[
                "delete",
                "pod",
                pod,
                "--grace-period=0",
                "--force",
                "--ignore-not-found",
                "--wait=false",
            ]);
        }
    }
}

/// The status of a pod whose container has just exited.
fn exited(code: i32, message: &str) -> Value {
    let (why, reason) = match code {
        0 => ("PodCompleted", "Completed"),
        _ => ("PodFailed", "Error"),
    };
    let mut status = not_ready(why);
    status["phase"] = json!("Running");
    status["containerStatuses"] = json!([container("main", &terminated(code, reason, message))]);
    status
}

fn not_ready(why: &str) -> Value {
    let not = |type_: &str| json!({"type": type_, "status": "False", "reason": why});
    json!({"conditions": [not("Ready"), not("ContainersReady")]})
}

fn container(name: &str, state: &Value) -> Value {
    json!({
        "name": name,
        "image": "registry.k8s.io/pause:3.10",
        "imageID": "",
        "ready": !state["running"].is_null(),
        "restartCount": 0,
        "state": state,
    })
}

fn terminated(code: i32, reason: &str, message: &str) -> Value {
    let at = now().round(jiff::Unit::Second).unwrap();
    json!({"terminated": {
        "exitCode": code, "reason": reason, "message": message, "finishedAt": at,
    }})
}

fn set_status(ns: &Namespace<'_>, pods: &[String], status: &Value) {
    let patch = format!("--patch={}", json!({"status": status}));
    let mut args = vec!["patch", "pods", "--subresource=status", &patch];
    args.extend(pods.iter().map(String::as_str));
    ns.kubectl(&args);
}

/// The names of all pods of these PodCliques, once each has all its pods.
fn pods_of(ns: &Namespace<'_>, podcliques: &[&str]) -> Vec<String> {
    ns.until("the pods are there", |seen| {
        let mut all = Vec::new();
        for podclique in podcliques {
            let pods = seen.pods(podclique);
            let wanted = &seen.one("PodClique", podclique)?["spec"]["replicas"];
            same(podclique, &json!(pods.len()), wanted)?;
            all.extend(pods.into_iter().map(|p| name(p).to_owned()));
        }
        Ok(all)
    })
}

/// All pods of these PodCliques exit with 0.
pub fn succeed(ns: &Namespace<'_>, podcliques: &[&str]) {
    exit(ns, &pods_of(ns, podcliques), 0, "");
}

/// The pod of that index.
fn pod(ns: &Namespace<'_>, podclique: &str, pod: u32) -> String {
    ns.until("the pod is there", |seen| {
        let pods = seen.pods(podclique);
        let found = pods.into_iter().find(|p| index(p) == pod);
        let found = found.ok_or_else(|| format!("no pod {pod} of {podclique}"))?;
        Ok(name(found).to_owned())
    })
}

/// The pod of that index exits with 1. Returns its name.
fn fail(ns: &Namespace<'_>, podclique: &str, index: u32) -> String {
    let pod = pod(ns, podclique, index);
    exit(ns, std::slice::from_ref(&pod), 1, "NCCL timeout");
    pod
}

/// Fails unless the status of the set has these fields.
fn is(seen: &Seen, set: &str, status: &Value) -> Result<(), String> {
    subset(set, &seen.one("PodCliqueSet", set)?["status"], status)
}

/// Waits until the job is over with this phase and number of restarts.
pub fn ends(ns: &Namespace<'_>, set: &str, phase: &str, restarts: u32) {
    let status = json!({"phase": phase, "restartCount": restarts});
    ns.until(phase, |seen| is(seen, set, &status));
}

/// Waits until the object has that many events with that reason.
fn await_events(ns: &Namespace<'_>, object: &str, reason: &str, count: usize) -> Vec<String> {
    ns.until("the events are posted", |_| {
        let events = ns.events(object, reason);
        same(reason, &events.len(), &count).map_err(|wrong| format!("{wrong}: {events:?}"))?;
        Ok(events)
    })
}

/// The name and uid of every pod of the set.
fn pods(seen: &Seen, set: &str) -> Vec<(String, String)> {
    let of_set =
        |pod: &&Value| pod["metadata"]["labels"]["app.kubernetes.io/part-of"] == json!(set);
    let uid = |pod: &Value| pod["metadata"]["uid"].as_str().unwrap().to_owned();
    let mut pods: Vec<_> = seen.all("Pod").into_iter().filter(of_set).collect();
    pods.sort_by_key(|pod| name(pod));
    pods.into_iter()
        .map(|p| (name(p).to_owned(), uid(p)))
        .collect()
}

/// A job of that name is started, fails and is restarted: anything that has not happened by then
/// does not happen.
fn witness(ns: &Namespace<'_>, name: &str) {
    ns.apply(&pair(name, 1));
    let podclique = format!("{name}-0-a");
    fail(ns, &podclique, 0);
    ns.until("the witness is restarted", |seen| {
        is(seen, name, &json!({"restartCount": 1}))?;
        same("pods", &seen.pods(&podclique).len(), &2)
    });
}

/// Holds the pods in Terminating once they are deleted, until [`release`].
fn hold(ns: &Namespace<'_>, pods: &[String]) {
    finalizers(ns, pods, &json!(["example.com/held"]));
}

fn release(ns: &Namespace<'_>, pods: &[String]) {
    finalizers(ns, pods, &Value::Null);
}

fn finalizers(ns: &Namespace<'_>, pods: &[String], finalizers: &Value) {
    let patch = format!(
        "--patch={}",
        json!({"metadata": {"finalizers": finalizers}})
    );
    let mut args = vec!["patch", "pods", "--type=merge", &patch];
    args.extend(pods.iter().map(String::as_str));
    ns.kubectl(&args);
}
