//! `timeline`. The tests of terminations, restarts and updates check their moments.

use serde_json::Value;

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, condition, same};

/// The history of a set until it is scaled, in order, each moment once; a scaling has no time.
#[test]
fn lists_a_start_and_a_scaling() {
    let ns = Namespace::new("cli-timeline");
    ns.apply(&set("svc", &[clique("worker", 2)], &[]));
    let runs = |pods: usize| {
        ns.until("it runs", |seen| {
            let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
            same("Ready", &found, &"True/AllReady".to_owned())?;
            seen.expect_ready_pods(pods)
        });
    };
    runs(2);
    ns.kubectl(&["scale", "pclq/svc-0-worker", "--replicas=3"]);
    runs(3);
    let text = ns.grove_words(&["timeline", "svc"]);
    let told = [
        " created podcliqueset/svc ",
        " created podclique/svc-0-worker ",
        " ready podcliqueset/svc: ",
        " scaled podclique/svc-0-worker: to 3 by kubectl",
    ];
    let places = told.map(|words| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words}: {text}"))
    });
    assert!(places.is_sorted(), "{text}");
    // Ready is reported again if the third pod took long.
    let is_once = |words: &&str| text.matches(*words).count() == 1 || *words == told[2];
    assert!(told.iter().all(is_once), "{text}");
    let recent = ns.grove(&["timeline", "svc", "--since", "1h", "-o", "json"]);
    let recent: Vec<Value> = serde_json::from_str(&recent).unwrap();
    let is_of_pods = |m: &&Value| m["what"] == "created" && m["kind"] == "pod";
    let pods = recent.iter().filter(is_of_pods);
    let names = pods
        .map(|m| m["names"].as_array().unwrap().len())
        .sum::<usize>();
    assert_eq!(names, 3, "{recent:?}");
}

/// An invalid time is refused before any request.
#[test]
fn refuses_an_invalid_time() {
    let ns = Namespace::new("cli-since");
    for since in ["soon", "-2h", "0"] {
        let since = format!("--since={since}");
        let output = ns
            .grove_command(&["timeline", "svc", &since])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("--since"), "{error}");
    }
}
