//! `explain`. The tests of `stuck` show cause and remedy of each way to be stuck.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::control_plane::{folder, printed};
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, condition, same, wait};

/// The answer for a set that may be breached for an hour has the time of the termination.
#[test]
fn says_when_a_broken_replica_is_terminated() {
    let ns = Namespace::new("cli-breach");
    let mut svc = set("svc", &[clique("worker", 2)], &[]);
    svc["spec"]["template"]["terminationDelay"] = json!("1h");
    ns.apply(&svc);
    ns.until("it runs", |seen| {
        let available = &seen.one("PodClique", "svc-0-worker")?["status"]["wasAvailable"];
        same("wasAvailable", available, &json!(true))
    });
    ns.break_pods("svc-0-worker");
    let since = ns.until("it is breached", |seen| {
        let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &found.starts_with("False/"), &true)?;
        let status = &seen.one("PodClique", "svc-0-worker")?["status"];
        let since = status["breachedSince"].as_str().ok_or("no breach")?;
        Ok(since.to_owned())
    });
    let text = ns.grove_words(&["explain", "svc"]);
    let told =
        "the operator terminates replica 0 unless it recovers: PodClique svc-0-worker: 0 of 2";
    assert!(text.contains(told), "{text}");
    let answer: Value = serde_json::from_str(&ns.grove(&["explain", "svc", "-o", "json"])).unwrap();
    let steps = answer["next"].as_array().unwrap();
    let due = steps.iter().find_map(|step| step["at"].as_str()).unwrap();
    let due: jiff::Timestamp = due.parse().unwrap();
    let since: jiff::Timestamp = since.parse().unwrap();
    assert_eq!(due.duration_since(since).as_secs(), 3600, "{answer}");
    let kinds: Vec<_> = answer["chain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["kind"])
        .collect();
    assert_eq!(kinds, ["PodCliqueSet", "PodGang", "PodClique", "Pod"]);
}

/// Exit code and one line for missing objects.
#[test]
fn names_missing_objects() {
    let ns = Namespace::new("cli-no-pod");
    ns.apply(&set("svc", &[clique("worker", 1)], &[]));
    for (args, words) in [
        (&["explain", "nope"][..], "podcliqueset nope not found"),
        (&["explain", "svc", "--pod", "nope"], "svc has no pod nope"),
    ] {
        let output = ns.grove_command(args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{error}");
        assert!(
            error.contains(words) && error.lines().count() == 1,
            "{error}"
        );
    }
}

/// A user who may not read events gets the cause and a note about the missing events; a timeline
/// without events is refused.
#[test]
fn missing_rights_to_events_are_reported() {
    let ns = Namespace::new("cli-no-events");
    ns.apply(&set("svc", &[clique("worker", 1)], &[]));
    ns.until("it runs", |seen| {
        let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
    let viewer = viewer(&ns);
    let viewer = ["--kubeconfig", viewer.to_str().unwrap()];
    let run = |args: &[&str]| ns.grove_command(&[args, &viewer].concat());
    // The API server applies the role a moment later.
    let known = wait::until(|| {
        let output = run(&["tree", "svc"]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or(error)
    });
    known.unwrap();
    let text = printed(&mut run(&["explain", "svc"]));
    let words = "cannot list events in namespace";
    assert!(
        text.contains("svc is ready: AllReady") && text.contains(words),
        "{text}"
    );
    let output = run(&["timeline", "svc"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(
        error.contains(words) && error.lines().count() == 1,
        "{error}"
    );
    ns.kubectl(&[
        "delete",
        "rolebinding/viewer",
        "role/viewer",
        "serviceaccount/viewer",
    ]);
}

/// A kubeconfig of an account that may read sets and their objects, and nothing else.
fn viewer(ns: &Namespace<'_>) -> PathBuf {
    let kinds = "--resource=podcliquesets.grove.io,podcliquescalinggroups.grove.io,\
                 podcliques.grove.io,podgangs.scheduler.grove.io,pods";
    ns.kubectl(&["create", "serviceaccount", "viewer"]);
    ns.kubectl(&["create", "role", "viewer", "--verb=get,list", kinds]);
    let account = format!("--serviceaccount={}:viewer", ns.name);
    ns.kubectl(&["create", "rolebinding", "viewer", "--role=viewer", &account]);
    let token = format!(
        "--token={}",
        ns.kubectl(&["create", "token", "viewer"]).trim()
    );
    let copy = folder("cli-no-events").join("viewer.kubeconfig");
    std::fs::copy(&ns.control_plane.kubeconfig, &copy).unwrap();
    let file = format!("--kubeconfig={}", copy.display());
    ns.kubectl(&["config", &file, "set-credentials", "viewer", &token]);
    ns.kubectl(&["config", &file, "set-context", "--current", "--user=viewer"]);
    copy
}
