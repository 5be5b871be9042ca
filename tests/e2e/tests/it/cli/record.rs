//! Temporary.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::{Namespace, condition, same};

fn add(name: &str, args: &[&str], text: &str) {
    let mut all = std::fs::read_to_string("/tmp/explain-record.txt").unwrap_or_default();
    writeln!(all, "##### {name}\n$ kubectl grove {}\n{text}", args.join(" ")).unwrap();
    std::fs::write("/tmp/explain-record.txt", all).unwrap();
}

fn show(ns: &Namespace<'_>, name: &str, args: &[&str]) {
    add(name, args, &ns.grove(args));
}

fn ready(ns: &Namespace<'_>, set: &str) {
    ns.until("it runs", |seen| {
        let found = condition(seen.one("PodCliqueSet", set)?, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
}

#[test]
fn record_all() {
    let ns = Namespace::new("ml");
    let gpu = json!({"limits": {"nvidia.com/gpu": "100"}});
    let mut prefill = clique("prefill", 2);
    prefill["spec"]["podSpec"]["containers"][0]["resources"] = gpu;
    ns.apply(&set("llm", &[clique("router", 1), prefill], &[]));
    ns.until("stuck", |seen| {
        let found = condition(seen.one("PodCliqueSet", "llm")?, "Ready");
        same("Ready", &found, &"False/InsufficientResources".to_owned())
    });
    show(&ns, "gpu", &["explain", "llm"]);
    show(&ns, "gpu timeline", &["timeline", "llm"]);

    let cliques = [held_clique("router", 2), clique("worker", 1)];
    ns.apply(&set("chat", &cliques, &[group("workers", "worker", 2, 1)]));
    ns.until("pods", |seen| {
        let found = condition(seen.one("PodClique", "chat-0-workers-1-worker")?, "Ready");
        same("Ready", &found, &"False/BaseGangNotReady".to_owned())?;
        let found = condition(seen.one("PodCliqueSet", "chat")?, "Ready");
        same("Ready", &found, &"False/PodsStarting".to_owned())
    });
    let seen = ns.look().unwrap();
    let pod = seen.pods("chat-0-workers-1-worker")[0]["metadata"]["name"].clone();
    show(&ns, "base", &["explain", "chat", "--pod", pod.as_str().unwrap()]);
    show(&ns, "base set", &["explain", "chat"]);

    let mut serve = set("serve", &[clique("worker", 2)], &[]);
    serve["spec"]["template"]["terminationDelay"] = json!("10m");
    ns.apply(&serve);
    ready(&ns, "serve");
    ns.break_pods("serve-0-worker");
    ns.until("breached", |seen| {
        let found = condition(seen.one("PodCliqueSet", "serve")?, "Ready");
        same("Ready", &found.starts_with("False"), &true)?;
        let status = &seen.one("PodClique", "serve-0-worker")?["status"];
        same("since", &status["breachedSince"].is_string(), &true)
    });
    show(&ns, "breach", &["explain", "serve"]);
    serve["spec"]["template"]["terminationDelay"] = json!("2s");
    ns.apply(&serve);
    ns.until("terminated", |seen| {
        let set = seen.one("PodCliqueSet", "serve")?;
        same("attempts", &set["status"]["replicaAttempts"][0]["attempt"], &json!(1))?;
        let found = condition(set, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
    show(&ns, "terminated", &["timeline", "serve"]);
    show(&ns, "terminated tree", &["tree", "serve"]);
    serve["spec"]["template"]["cliques"][0]["annotations"] = json!({"example.com/version": "2"});
    ns.apply(&serve);
    ns.until("updated", |seen| {
        let set = seen.one("PodCliqueSet", "serve")?;
        let end = &set["status"]["updateProgress"]["updateEndedAt"];
        same("ended", &end.is_string(), &true)?;
        let found = condition(set, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
    ns.kubectl(&["scale", "pclq/serve-0-worker", "--replicas=3"]);
    ns.until("scaled", |seen| same("pods", &seen.pods("serve-0-worker").len(), &3));
    show(&ns, "updated", &["timeline", "serve", "--since", "5m"]);

    let mut job = set("train", &[clique("launcher", 1), clique("worker", 2)], &[]);
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": 3, "maxRuntime": "24h"});
    ns.apply(&job);
    ready(&ns, "train");
    let seen = ns.look().unwrap();
    let pod: Value = seen.pods("train-0-worker")[1]["metadata"]["name"].clone();
    let status = json!({"status": {"phase": "Failed", "conditions": [
        {"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "False"}],
        "containerStatuses": [{"name": "main", "image": "example/train:1", "imageID": "",
        "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 1,
        "reason": "Error", "message": "step 4711: NCCL timeout after 1800 s\nrank 1 gives up"}}}]}});
    let patch = format!("--patch={status}");
    ns.kubectl(&["patch", "pod", pod.as_str().unwrap(), "--subresource=status", &patch]);
    ns.until("restarted", |seen| {
        let set = seen.one("PodCliqueSet", "train")?;
        same("restarts", &set["status"]["restartCount"], &json!(1))?;
        let found = condition(set, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
    show(&ns, "restarted", &["timeline", "train"]);
    show(&ns, "restarted explain", &["explain", "train"]);
}
