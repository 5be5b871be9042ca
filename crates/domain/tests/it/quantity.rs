//! Quantities, and how many pods fit on a node.

use domain::Node;
use domain::object::quantity::parse_quantity;
use domain::placement::Shape;
use k8s_openapi::api::core::v1::PodSpec;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case("8", Some(8.0))]
#[case("0.5", Some(0.5))]
#[case("100m", Some(0.1))]
#[case("16Gi", Some(17_179_869_184.0))]
#[case("2k", Some(2000.0))]
#[case("1e3", Some(1000.0))]
#[case("12E2", Some(1200.0))]
#[case("3E", Some(3e18))]
#[case("-1", Some(-1.0))]
#[case("", None)]
#[case("Gi", None)]
#[case("1x", None)]
#[case("infinity", None)]
#[case("nan", None)]
#[case("1e999", None)]
fn reads_quantities_that_kubernetes_writes(#[case] text: &str, #[case] expected: Option<f64>) {
    assert_eq!(parse_quantity(text), expected);
}

fn template(containers: Value, init: Value) -> PodSpec {
    let fields = [("containers", containers), ("initContainers", init)];
    serde_json::from_value(object(fields)).unwrap()
}

fn container(requests: Value, limits: Value) -> Value {
    let resources = object([("requests", requests), ("limits", limits)]);
    object([("name", json!("c")), ("resources", resources)])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let fields = fields.map(|(key, value)| (key.to_owned(), value));
    Value::Object(fields.into_iter().collect())
}

#[rstest]
#[case::nothing_is_requested(vec![template(json!([container(json!({}), json!({}))]), json!([]))], 100)]
#[case::containers_add_up(vec![template(
    json!([container(json!({"cpu": "1"}), json!({})), container(json!({"cpu": "500m"}), json!({}))]), json!([]))], 5)]
#[case::a_limit_is_a_request(vec![template(
    json!([container(json!({"cpu": "1"}), json!({"gpu": "4", "cpu": "8"}))]), json!([]))], 2)]
#[case::an_init_container_may_need_more(vec![template(
    json!([container(json!({"cpu": "1"}), json!({}))]), json!([container(json!({"cpu": "4"}), json!({}))]))], 2)]
#[case::the_smallest_pod_counts(vec![
    template(json!([container(json!({"cpu": "4", "gpu": "8"}), json!({}))]), json!([])),
    template(json!([container(json!({"cpu": "1"}), json!({}))]), json!([]))], 8)]
#[case::what_the_node_lacks(vec![template(json!([container(json!({"tpu": "1"}), json!({}))]), json!([]))], 0)]
fn says_how_many_pods_an_empty_node_holds(#[case] templates: Vec<PodSpec>, #[case] pods: u64) {
    let allocatable = json!({"cpu": "8", "gpu": "8", "pods": "100"});
    let mut node = Node::default();
    node.status.allocatable = serde_json::from_value(allocatable).unwrap();
    assert_eq!(Shape::of(&templates).capacity_of(&node), pods);
}
