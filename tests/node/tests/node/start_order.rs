//! Pods that start after others.

use std::time::Duration;

use serde_json::{Value, json};

use super::judge::{has, ready, same, text};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{is_ready, message, name};
use super::sets::{clique, in_order, serving, sh, with, with_pod};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "start_order::many_children_start_in_time",
            "4",
            many_children_start_in_time,
        )
        .alone(),
        row("start_order::slow_parent", "4", slow_parent),
        row("start_order::crashing_parent", "-", crashing_parent),
    ]
}

/// A dependency that is Ready after that many seconds.
fn parent(seconds: u32) -> Value {
    let probe = json!({"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1,
                       "timeoutSeconds": 5});
    let script = format!("sleep {seconds}; touch /tmp/up; exec sleep 1000");
    clique(
        "p",
        1,
        &[with(sh(&script), &json!({"readinessProbe": probe}))],
    )
}

fn children(count: u32) -> Value {
    clique("k", count, &[sh("exec sleep 1000")])
}

/// Finding 4: no dependent waits for its kubelet's periodic look, a minute or more: the annotation
/// is changed again while an init container still runs.
fn many_children_start_in_time(ns: &Namespace) {
    ns.apply(&[&in_order(serving("o", &[parent(3), children(16)]))]);
    ns.until("the parent is Ready", |seen| {
        let up = seen
            .pods_of("o-0-p")
            .into_iter()
            .filter(|pod| is_ready(pod))
            .count();
        same("Ready parents", up, 1)
    });
    ns.within(Duration::from_secs(50), "all children start", |seen| {
        let waiting: Vec<_> = seen
            .pods_of("o-0-k")
            .into_iter()
            .filter(|pod| !is_ready(pod))
            .map(name)
            .collect();
        waiting
            .is_empty()
            .then_some(())
            .ok_or_else(|| format!("{waiting:?} wait"))
    });
    for pod in ns.look().unwrap().pods_of("o-0-k") {
        let annotations = &pod["metadata"]["annotations"];
        assert!(
            annotations["grove.io/start-at"].is_string(),
            "no grove.io/start-at: {annotations}"
        );
    }
}

/// While its dependency is not Ready, a dependent waits and names it, and never reports the
/// opposite.
fn slow_parent(ns: &Namespace) {
    ns.apply(&[&in_order(serving("o", &[parent(40), children(1)]))]);
    let child = ns.until("the child waits", |seen| {
        has("Ready", message(seen.set("o")?, "Ready"), &["o-0-p"])?;
        let pods = seen.pods_of("o-0-k");
        let pod = pods.first().ok_or("no child")?;
        is_initializing(pod)?;
        Ok(name(pod).to_owned())
    });
    let said = ns.kubectl(&["logs", &child, "-c", "grove-initc"]);
    has("the init container", &said, &["o-0-p"]).unwrap();
    ns.until("all is Ready", |seen| ready(seen, "o", "AllReady"));
}

fn is_initializing(pod: &Value) -> Result<(), String> {
    let states = &pod["status"]["initContainerStatuses"];
    let runs = states.as_array().into_iter().flatten().any(|status| {
        text(&status["name"]) == "grove-initc" && status["state"]["running"].is_object()
    });
    runs.then_some(())
        .ok_or_else(|| format!("grove-initc does not run: {states}"))
}

/// A dependency that crashes before it stays Ready: its dependent starts then, and not before. The
/// log of the run that crashed can be read.
fn crashing_parent(ns: &Namespace) {
    let mut main = sh(
        "echo x >> /v/runs; echo run $(wc -l < /v/runs); test $(wc -l < /v/runs) -ge 2 || { sleep 1; exit 1; }; touch /tmp/up; exec sleep 1000",
    );
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
    main["readinessProbe"] = json!({"exec": {"command": ["test", "-e", "/tmp/up"]},
                                    "periodSeconds": 1, "timeoutSeconds": 5});
    let crashes = with_pod(
        clique("p", 1, &[main]),
        &json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
    );
    ns.apply(&[&in_order(serving("o", &[crashes, children(1)]))]);
    ns.until("all is Ready, and no child was before its parent", |seen| {
        let parent_up = seen.pods_of("o-0-p").into_iter().any(is_ready);
        let child_up = seen.pods_of("o-0-k").into_iter().any(is_ready);
        assert!(
            parent_up || !child_up,
            "the child is Ready before its parent"
        );
        ready(seen, "o", "AllReady")
    });
    logs_of_both_runs(ns);
}

/// A container that has not run before has no earlier log, which is a finding and hides no other log.
fn logs_of_both_runs(ns: &Namespace) {
    let now = ns.kubectl(&["grove", "logs", "o"]);
    assert_eq!(now.trim(), "[o-0-p/0] run 2");
    let before = ns.command(&["grove", "logs", "o", "--previous"]).output();
    let before = before.unwrap();
    let error = String::from_utf8_lossy(&before.stderr);
    assert_eq!(before.status.code(), Some(1), "{error}");
    let said = String::from_utf8_lossy(&before.stdout);
    assert_eq!(said.trim(), "[o-0-p/0] run 1", "{error}");
    has("the error", &error, &["cannot read the log", "(o-0-k/0)"]).unwrap();
}
