//! The requests of a whole pod, as Kubernetes sums them up.

use cli::capacity::{Amounts, PodNeeds};
use domain::object::quantity_text::write_amount;
use rstest::rstest;
use serde_json::{Value, json};

fn amounts(of: &[(&str, i64)]) -> Amounts {
    of.iter()
        .map(|(name, amount)| ((*name).to_owned(), *amount))
        .collect()
}

fn container(requests: &Value) -> Value {
    json!({"name": "c", "resources": {"requests": requests}})
}

fn side(requests: &Value) -> Value {
    let mut container = container(requests);
    container["restartPolicy"] = json!("Always");
    container
}

#[rstest]
#[case::nothing(json!({"containers": [{"name": "c"}]}), &[])]
#[case::containers_together(
    json!({"containers": [
        container(&json!({"cpu": "100m", "memory": "1Gi"})), container(&json!({"cpu": "1.5"})),
    ]}),
    &[("cpu", 1600), ("memory", 1 << 30)],
)]
#[case::limits_where_nothing_is_requested(
    json!({"containers": [{"name": "c", "resources": {
        "requests": {"cpu": "1"}, "limits": {"cpu": "2", "nvidia.com/gpu": "8"},
    }}]}),
    &[("cpu", 1000), ("nvidia.com/gpu", 8)],
)]
#[case::the_largest_init_container(
    json!({
        "initContainers": [container(&json!({"cpu": "3"})), container(&json!({"memory": "4"}))],
        "containers": [container(&json!({"cpu": "1", "memory": "3"}))],
    }),
    &[("cpu", 3000), ("memory", 4)],
)]
#[case::what_runs_beside(
    json!({
        "initContainers": [side(&json!({"cpu": "1"})), container(&json!({"cpu": "2"}))],
        "containers": [container(&json!({"cpu": "1500m"}))],
    }),
    &[("cpu", 3000)],
)]
#[case::what_starts_later_does_not_count_for_what_ran_before(
    json!({
        "initContainers": [container(&json!({"cpu": "2"})), side(&json!({"cpu": "1"}))],
        "containers": [container(&json!({"cpu": "1500m"}))],
    }),
    &[("cpu", 2500)],
)]
#[case::overhead(
    json!({"overhead": {"cpu": "250m"}, "containers": [container(&json!({"cpu": "1"}))]}),
    &[("cpu", 1250)],
)]
#[case::the_pod_as_a_whole(
    json!({
        "resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "6", "memory": "1Ki"}},
        "containers": [container(&json!({"cpu": "1", "nvidia.com/gpu": "1"}))],
    }),
    &[("cpu", 4000), ("memory", 1024), ("nvidia.com/gpu", 1)],
)]
#[case::parts_of_a_unit_count_as_one(
    json!({"containers": [container(&json!({"cpu": "100u", "memory": "1500m"}))]}),
    &[("cpu", 1), ("memory", 2)],
)]
#[case::no_rounding_where_floats_would(
    json!({"containers": [container(&json!({"memory": "9007199254740993"}))]}),
    &[("memory", 9_007_199_254_740_993)],
)]
fn requests_are_those_of_the_pod_as_a_whole(#[case] pod: Value, #[case] expected: &[(&str, i64)]) {
    let template = serde_json::from_value(pod).unwrap();
    let needs = PodNeeds::of_template(&template, "ml").unwrap();
    assert_eq!(needs.requests, amounts(expected));
}

#[test]
fn a_quantity_that_is_none_is_named() {
    let pod = json!({"containers": [container(&json!({"cpu": "two"}))]});
    let template = serde_json::from_value(pod).unwrap();
    let error = PodNeeds::of_template(&template, "ml")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        r#"cpu "two" is not a quantity; write it like 500m, 8 or 16Gi"#
    );
}

#[rstest]
#[case("cpu", 3500, "3500m")]
#[case("cpu", 4000, "4")]
#[case("memory", 16 << 30, "16Gi")]
#[case("memory", 1_000_000_000, "1000000000")]
#[case("memory", 0, "0")]
#[case("nvidia.com/gpu", 8, "8")]
fn amounts_are_shown_exactly(#[case] name: &str, #[case] amount: i64, #[case] text: &str) {
    assert_eq!(write_amount(name, amount), text);
}
