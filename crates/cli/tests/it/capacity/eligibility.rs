//! Nodes that a pod may run on, regardless of their free resources.

use cli::capacity::{NodeSnapshot, PodNeeds, Refusal, find_refusal};
use rstest::rstest;
use serde_json::{Value, json};

fn node(taints: Value, is_unschedulable: bool) -> NodeSnapshot {
    let labels = [("pool", "gpu"), ("generation", "7")];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    NodeSnapshot {
        name: "node-1".to_owned(),
        labels: labels.into(),
        taints: serde_json::from_value(taints).unwrap(),
        is_unschedulable,
        ..NodeSnapshot::default()
    }
}

fn refusal(pod: Value, node: &NodeSnapshot) -> Option<Refusal> {
    let template = serde_json::from_value(pod).unwrap();
    find_refusal(&PodNeeds::of_template(&template, "ml").unwrap(), node)
}

fn affinity(terms: &Value) -> Value {
    let required = json!({"nodeSelectorTerms": terms});
    let affinity = json!({"requiredDuringSchedulingIgnoredDuringExecution": required});
    json!({"affinity": {"nodeAffinity": affinity}})
}

fn expression(key: &str, operator: &str, values: &Value) -> Value {
    json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}])
}

#[rstest]
#[case::nothing_asked(json!({}), None)]
#[case::label_there(json!({"nodeSelector": {"pool": "gpu"}}), None)]
#[case::other_label(json!({"nodeSelector": {"pool": "cpu"}}), Some(Refusal::Selector))]
#[case::within(affinity(&expression("pool", "In", &json!(["cpu", "gpu"]))), None)]
#[case::not_within(affinity(&expression("pool", "NotIn", &json!(["gpu"]))), Some(Refusal::Affinity))]
#[case::absent(affinity(&expression("zone", "NotIn", &json!(["a"]))), None)]
#[case::exists(affinity(&expression("pool", "Exists", &json!([]))), None)]
#[case::does_not_exist(affinity(&expression("pool", "DoesNotExist", &json!([]))), Some(Refusal::Affinity))]
#[case::greater(affinity(&expression("generation", "Gt", &json!(["6"]))), None)]
#[case::not_greater(affinity(&expression("generation", "Gt", &json!(["7"]))), Some(Refusal::Affinity))]
#[case::less(affinity(&expression("generation", "Lt", &json!(["10"]))), None)]
#[case::no_number(affinity(&expression("pool", "Lt", &json!(["10"]))), Some(Refusal::Affinity))]
#[case::no_term(affinity(&json!([])), Some(Refusal::Affinity))]
#[case::an_empty_term(affinity(&json!([{}])), Some(Refusal::Affinity))]
#[case::any_term(
    affinity(&json!([
        {"matchExpressions": [{"key": "zone", "operator": "Exists"}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]},
    ])),
    None,
)]
fn selects_nodes_by_labels(#[case] pod: Value, #[case] expected: Option<Refusal>) {
    let mut pod = pod;
    pod["containers"] = json!([{"name": "c"}]);
    assert_eq!(refusal(pod, &node(json!([]), false)), expected);
}

const NO_SCHEDULE: &str = "NoSchedule";

#[rstest]
#[case::without_toleration("team", "NoSchedule", json!([]), false)]
#[case::preferred_only("team", "PreferNoSchedule", json!([]), true)]
#[case::equal("team", "NoSchedule", json!([{"key": "team", "value": "nlp"}]), true)]
#[case::other_value("team", "NoSchedule", json!([{"key": "team", "value": "cv"}]), false)]
#[case::exists("team", "NoExecute", json!([{"key": "team", "operator": "Exists"}]), true)]
#[case::other_effect(
    "team", "NoExecute", json!([{"key": "team", "operator": "Exists", "effect": NO_SCHEDULE}]), false,
)]
#[case::everything("team", "NoSchedule", json!([{"operator": "Exists"}]), true)]
#[case::added_to_every_pod("node.kubernetes.io/not-ready", "NoExecute", json!([]), true)]
#[case::and_only_that("node.kubernetes.io/not-ready", "NoSchedule", json!([]), false)]
fn bears_taints(
    #[case] key: &str,
    #[case] effect: &str,
    #[case] tolerations: Value,
    #[case] expected: bool,
) {
    let pod = json!({"containers": [{"name": "c"}], "tolerations": tolerations});
    let taint = json!([{"key": key, "value": "nlp", "effect": effect}]);
    let found = refusal(pod, &node(taint, false));
    let refused = Refusal::Taint(format!("{key}=nlp:{effect}"));
    assert_eq!(found, (!expected).then_some(refused));
}

#[test]
fn a_cordoned_node_takes_only_pods_that_tolerate_it() {
    let cordoned = node(json!([]), true);
    let pod = json!({"containers": [{"name": "c"}]});
    assert_eq!(
        refusal(pod.clone(), &cordoned),
        Some(Refusal::Unschedulable)
    );
    let mut daemon = pod;
    let key = "node.kubernetes.io/unschedulable";
    daemon["tolerations"] = json!([{"key": key, "operator": "Exists"}]);
    assert_eq!(refusal(daemon, &cordoned), None);
}
