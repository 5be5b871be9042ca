//! The amounts of a pod that a quota counts, as the API server counts them.

use domain::workload::pod::quota::count_for_quota;
use k8s_openapi::api::core::v1::PodSpec;
use rstest::rstest;
use serde_json::{Value, json};

fn container(resources: &Value) -> Value {
    json!({"name": "c", "resources": resources})
}

#[rstest]
#[case::request(json!({"containers": [container(&json!({"requests": {"cpu": "2"}}))]}), 2.0)]
#[case::limit_alone(json!({"containers": [container(&json!({"limits": {"cpu": "3"}}))]}), 3.0)]
#[case::request_below_its_limit(
    json!({"containers": [container(&json!({"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}))]}),
    1.0
)]
#[case::two_containers(
    json!({"containers": [
        container(&json!({"requests": {"cpu": "1"}})),
        container(&json!({"limits": {"cpu": "500m"}})),
    ]}),
    1.5
)]
#[case::init_container_that_needs_more(
    json!({
        "initContainers": [container(&json!({"requests": {"cpu": "4"}}))],
        "containers": [container(&json!({"requests": {"cpu": "1"}}))],
    }),
    4.0
)]
#[case::sidecar(
    json!({
        "initContainers": [
            {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
            container(&json!({"requests": {"cpu": "4"}})),
        ],
        "containers": [container(&json!({"requests": {"cpu": "2"}}))],
    }),
    5.0
)]
#[case::overhead(
    json!({
        "overhead": {"cpu": "250m"},
        "containers": [container(&json!({"requests": {"cpu": "1"}}))],
    }),
    1.25
)]
#[case::stated_for_the_pod(
    json!({
        "resources": {"requests": {"cpu": "8"}},
        "containers": [container(&json!({"requests": {"cpu": "1"}}))],
    }),
    8.0
)]
fn requests_are_counted(#[case] spec: Value, #[case] cpu: f64) {
    let spec: PodSpec = serde_json::from_value(spec).unwrap();
    let found = count_for_quota(&spec);
    assert!((found["requests.cpu"] - cpu).abs() < 1e-9, "{found:?}");
    assert!((found["cpu"] - cpu).abs() < 1e-9, "{found:?}");
}

/// GPUs are usually written as limits alone.
#[test]
fn a_limit_counts_for_all_names_of_the_resource() {
    let gpu = container(&json!({"limits": {"nvidia.com/gpu": "8"}}));
    let spec: PodSpec = serde_json::from_value(json!({"containers": [gpu]})).unwrap();
    let found = count_for_quota(&spec);
    for name in [
        "nvidia.com/gpu",
        "requests.nvidia.com/gpu",
        "limits.nvidia.com/gpu",
    ] {
        assert!((found[name] - 8.0).abs() < 1e-9, "{name}: {found:?}");
    }
}
