//! Events over time.

use serde_json::{Value, json};

use crate::harness::lane::Lane;
use crate::harness::manifest::{clique, set};
use crate::harness::same;

/// Pods are refused, and the event is repeated before the API server drops it: here after a second.
#[test]
fn a_continuing_warning_becomes_a_series() {
    let purpose = "events-series";
    let lane = Lane::start_with_variable(purpose, "GROVE_REPEAT_WARNINGS_AFTER", "1");
    let ns = lane.namespace();
    let mut refused = clique("a", 1);
    refused["spec"]["podSpec"]["serviceAccountName"] = json!("nobody");
    ns.apply(&set("svc", &[refused], &[]));
    let get = ["get", "events.events.k8s.io", "--output=json"];
    let event = ns.until("the event is repeated", |_| {
        let events: Value = serde_json::from_str(&ns.kubectl(&get)).unwrap();
        let mut events = events["items"].as_array().unwrap().iter();
        let is_repeated = |e: &&Value| e["series"]["count"].as_i64() >= Some(2);
        events
            .find(is_repeated)
            .cloned()
            .ok_or_else(|| "no series".to_owned())
    });
    let told = [
        &event["reason"],
        &event["type"],
        &event["reportingController"],
    ];
    assert_eq!(
        told,
        ["PodCreateFailed", "Warning", "grove-operator"],
        "{event}"
    );
    // As users see it.
    let shown = ns.kubectl(&["describe", "podclique/svc-0-a"]);
    same("told", &shown.contains("PodCreateFailed"), &true).unwrap();
    lane.expect_alive();
}
