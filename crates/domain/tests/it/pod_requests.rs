//! The requests of pods, as the scheduler counts them.

use domain::object::pod_requests::{ResourceSum, Which};
use rstest::rstest;
use serde_json::{Value, json};

fn sum(spec: &Value, which: Which) -> Value {
    let spec = serde_json::from_value(spec.clone()).unwrap();
    json!(ResourceSum::of_pod(&spec, which).quantities())
}

fn container(resources: &Value) -> Value {
    json!({"name": "c", "resources": resources})
}

#[rstest]
#[case::sum(
    json!({"containers": [
        container(&json!({"requests": {"cpu": "1500m", "memory": "1Gi"}})),
        container(&json!({"requests": {"cpu": "0.25", "memory": "512Mi"}})),
    ]}),
    json!({"cpu": "1750m", "memory": "1536Mi"}),
)]
#[case::limits_are_requests(
    json!({"containers": [container(&json!({
        "requests": {"cpu": "1"}, "limits": {"cpu": "2", "nvidia.com/gpu": "8"},
    }))]}),
    json!({"cpu": "1", "nvidia.com/gpu": "8"}),
)]
#[case::greatest_init_container(
    json!({
        "initContainers": [container(&json!({"requests": {"cpu": "4", "memory": "1Mi"}}))],
        "containers": [container(&json!({"requests": {"cpu": "1", "memory": "2Mi"}}))],
    }),
    json!({"cpu": "4", "memory": "2Mi"}),
)]
#[case::sidecars_run_beside_both(
    json!({
        "initContainers": [
            {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
            container(&json!({"requests": {"cpu": "3"}})),
        ],
        "containers": [container(&json!({"requests": {"cpu": "2500m"}}))],
    }),
    json!({"cpu": "4"}),
)]
#[case::of_the_pod_and_overhead(
    json!({
        "containers": [container(&json!({"requests": {"cpu": "1"}}))],
        "resources": {"requests": {"cpu": "6"}},
        "overhead": {"cpu": "100m", "memory": "1k"},
    }),
    json!({"cpu": "6100m", "memory": "1000"}),
)]
#[case::nothing(json!({"containers": [container(&json!({}))]}), json!({}))]
fn a_pod_asks_for(#[case] spec: Value, #[case] expected: Value) {
    assert_eq!(sum(&spec, Which::Requests), expected);
}

/// As a quota counts it.
#[test]
fn a_pod_is_limited_where_its_containers_are() {
    let spec = json!({
        "containers": [
            container(&json!({"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}})),
            container(&json!({"limits": {"memory": "512Mi"}})),
        ],
        "overhead": {"cpu": "100m", "memory": "512Mi"},
    });
    assert_eq!(sum(&spec, Which::Limits), json!({"memory": "2Gi"}));
    let requests = json!({"cpu": "1100m", "memory": "2Gi"});
    assert_eq!(sum(&spec, Which::Requests), requests);
}

/// The sum is rounded up, not each of its terms.
#[test]
fn fractions_of_a_unit_are_added_up_before_they_are_rounded() {
    let half = || container(&json!({"requests": {"cpu": "1500u", "memory": "1500m"}}));
    let spec = json!({"containers": [half(), half()]});
    assert_eq!(
        sum(&spec, Which::Requests),
        json!({"cpu": "3m", "memory": "3"})
    );
    let spec = json!({"containers": [half()]});
    assert_eq!(
        sum(&spec, Which::Requests),
        json!({"cpu": "2m", "memory": "2"})
    );
}

#[test]
fn tenths_of_a_core_add_up_exactly() {
    let spec = json!({"containers": [container(&json!({"requests": {"cpu": "0.1"}}))]});
    let one = ResourceSum::of_pod(&serde_json::from_value(spec).unwrap(), Which::Requests);
    let mut all = ResourceSum::default();
    all.add(&one, 10_000);
    assert_eq!(json!(all.quantities()), json!({"cpu": "1000"}));
}
