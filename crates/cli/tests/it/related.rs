//! Log lines, events and nodes that belong to a set.

use cli::bundle::{describe_node, events_of, names_set};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case(r#"{"key":"ml/svc","done":"create pod"}"#, true)]
#[case("key=ml/svc-0-router reconciled", true)]
#[case("created pod svc-0-router-x2x4z", true)]
#[case(r#"podcliques.grove.io "svc-1-a" not found"#, true)]
#[case("svc", true)]
#[case("key=other/svc reconciled", false)]
// The line is of another namespace, so its other names do not matter.
#[case("key=other/svc done=create pod svc-0-a", false)]
#[case("key=other/svc ml/svc", true)]
#[case("key=ml/svc2 reconciled", false)]
#[case("key=ml/my-svc reconciled", false)]
#[case("key=ml/svc-canary reconciled", false)]
#[case("key=ml/svc.example", false)]
#[case("", false)]
fn a_line_is_about_the_set_that_it_names(#[case] line: &str, #[case] is_about: bool) {
    assert_eq!(names_set(line, "ml", "svc"), is_about);
}

fn event(name: &str, uid: &str, time: &str) -> Value {
    json!({
        "metadata": {"name": format!("{name}.{time}")},
        "involvedObject": {"name": name, "uid": uid},
        "lastTimestamp": time,
    })
}

#[test]
fn events_are_those_of_the_set_the_oldest_first() {
    let events = vec![
        event("svc", "u-set", "2026-01-01T00:00:03Z"),
        event("adopted", "u-pod", "2026-01-01T00:00:02Z"),
        event("svc-0-a-gone", "u-gone", "2026-01-01T00:00:01Z"),
        event("svc-canary-0-a-x", "u-other", "2026-01-01T00:00:00Z"),
        event("", "", "2026-01-01T00:00:00Z"),
    ];
    let objects = ["u-set", "u-pod"].map(|uid| json!({"metadata": {"uid": uid}}));
    let objects: Vec<&Value> = objects.iter().collect();
    let found = events_of(events, "svc", &objects);
    let about = found
        .iter()
        .map(|e| e["involvedObject"]["name"].as_str().unwrap());
    assert_eq!(
        about.collect::<Vec<_>>(),
        ["svc-0-a-gone", "adopted", "svc"]
    );
}

#[test]
fn of_a_node_only_placement_fields_are_kept() {
    let node = json!({
        "metadata": {
            "name": "n1", "labels": {"zone": "a"}, "uid": "u",
            "annotations": {"secret": "x"},
        },
        "spec": {"taints": [{"key": "gpu"}], "podCIDR": "10.0.0.0/24", "providerID": "x"},
        "status": {
            "allocatable": {"cpu": "4"}, "capacity": {"cpu": "5"},
            "conditions": [{"type": "Ready"}],
            "addresses": [{"address": "10.0.0.1"}], "images": [], "nodeInfo": {},
        },
    });
    let kept = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "n1", "labels": {"zone": "a"}},
        "spec": {"taints": [{"key": "gpu"}], "unschedulable": null},
        "status": {"allocatable": {"cpu": "4"}, "conditions": [{"type": "Ready"}]},
    });
    assert_eq!(describe_node(&node), kept);
}
