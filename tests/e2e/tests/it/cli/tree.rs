//! `tree`.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::plugin::offline;
use crate::harness::{Namespace, condition, same};

/// A tree of a set that is ready has a line for each of its objects, within 80 columns.
#[test]
fn draws_every_object() {
    let ns = Namespace::new("cli-tree");
    let cliques = [clique("router", 1), clique("worker", 2)];
    ns.apply(&set("svc", &cliques, &[group("workers", "worker", 2, 1)]));
    ns.until("the set is ready", |seen| {
        let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &found, &"True/AllReady".to_owned())
    });
    let text = ns.grove(&["tree", "svc"]);
    let names = [
        "svc ",
        "├─svc-0-router ",
        "└─svc-0-workers ",
        "gang svc-0 ",
        "gang svc-0-workers-0 ",
        "svc-0-workers-1-worker ",
    ];
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let pods = ns.kubectl(&["get", "pods", "--output=name"]);
    let is_drawn = |pod: &str| text.contains(pod.trim_start_matches("pod/"));
    assert!(
        pods.lines().count() == 5 && pods.lines().all(is_drawn),
        "{text}"
    );

    let as_json: Value = serde_json::from_str(&ns.grove(&["tree", "svc", "-o", "json"])).unwrap();
    assert_eq!(as_json["ready"], json!("1/1"), "{as_json}");
    let overview = ns.grove(&["tree"]);
    assert!(
        overview.contains("svc") && overview.contains("AllReady"),
        "{overview}"
    );
}

/// Exit code and one line for a set that does not exist.
#[test]
fn names_a_missing_set() {
    let ns = Namespace::new("cli-gone");
    let output = ns.grove_command(&["tree", "nope"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{error}");
    assert!(error.contains("podcliqueset nope not found"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// Exit code and one line where there is no cluster.
#[test]
fn reports_a_missing_cluster() {
    let output = offline(&["tree", "svc"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("set KUBECONFIG"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
