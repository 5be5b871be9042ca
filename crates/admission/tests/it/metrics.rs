//! Metrics of autoscalers: those that the API server would refuse.

use admission::Rules;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{FRONTEND, GROUP, at};

use crate::cases::{changes_of, set, words};

fn resource(target: &Value) -> Value {
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

fn of_metric(type_: &str, field: &str, target: &Value) -> Value {
    json!({"type": type_, field: {"metric": {"name": "queue"}, "target": target}})
}

/// The errors of a metric of a clique; those of a group are the same.
fn errors_of(metric: &Value) -> String {
    let config = json!({"maxReplicas": 4, "metrics": [metric]});
    let of_clique = at(FRONTEND, "spec/autoScalingConfig");
    let of_group = at(GROUP, "scaleConfig");
    let [clique, group] = [
        (of_clique, "spec.template.cliques[0].spec.autoScalingConfig"),
        (
            of_group,
            "spec.template.podCliqueScalingGroups[0].scaleConfig",
        ),
    ]
    .map(|(place, path)| {
        let found = words(&set(&[(place.as_str(), config.clone())]), &Rules::default());
        found.replace(&format!("  {path}.metrics[0]."), "")
    });
    assert_eq!(clique, group);
    clique
}

const TYPES: &str = "use Resource, ContainerResource, Pods, Object or External";

#[rstest]
#[case::in_lower_case("resource", "Resource")]
#[case::of_a_resource("cpu", "Resource")]
fn an_unknown_type(#[case] type_: &str, #[case] meant: &str) {
    let mut metric = resource(&json!({"type": "Utilization", "averageUtilization": 80}));
    metric["type"] = json!(type_);
    assert_eq!(
        errors_of(&metric),
        format!("type: \"{type_}\": is no type of metric; {TYPES}; did you mean {meant}?")
    );
}

#[rstest]
#[case::no_type(
    json!({}),
    "type: not set: is needed; use Resource, ContainerResource, Pods, Object or External"
)]
#[case::nothing_to_guess(
    json!({"type": "Queue"}),
    "type: \"Queue\": is no type of metric; use Resource, ContainerResource, Pods, Object or External"
)]
#[case::no_source(
    json!({"type": "Pods"}),
    "pods: not set: is needed by a metric of type Pods; write what pods measures, and its target"
)]
#[case::another_source(
    of_metric("Pods", "external", &json!({"type": "AverageValue", "averageValue": "1"})),
    "pods: not set: is needed by a metric of type Pods; write pods instead of external; did you mean \
     type External?"
)]
#[case::no_name(
    json!({"type": "Resource", "resource": {
        "target": {"type": "Utilization", "averageUtilization": 80}
    }}),
    "resource.name: not set: is needed by a metric of type Resource; name what is measured"
)]
#[case::no_percentage(
    resource(&json!({"type": "Utilization", "averageUtilization": 0})),
    "resource.target.averageUtilization: 0: must be greater than 0; raise it, such as to 80"
)]
#[case::no_amount(
    of_metric("Pods", "pods", &json!({"type": "AverageValue", "averageValue": "0"})),
    "pods.target.averageValue: \"0\": must be greater than 0; raise it, such as to 1"
)]
#[case::target_in_lower_case(
    resource(&json!({"type": "utilization", "averageUtilization": 80})),
    "resource.target.type: \"utilization\": is no type of target; use Utilization, Value or \
     AverageValue; did you mean Utilization?"
)]
#[case::target_without_type(
    resource(&json!({"averageValue": "1"})),
    "resource.target.type: not set: is needed; use Utilization, Value or AverageValue; did you mean \
     AverageValue?"
)]
#[case::no_value(
    of_metric("External", "external", &json!({"type": "Value"})),
    "external.target.averageValue: not set: is needed by a metric of type External; set averageValue \
     or value"
)]
#[case::value_of_another_type(
    of_metric("Pods", "pods", &json!({"type": "Value", "value": "1"})),
    "pods.target.averageValue: not set: is needed by a metric of type Pods; set averageValue"
)]
#[case::two_values(
    resource(&json!({"type": "Utilization", "averageUtilization": 80, "averageValue": "1"})),
    "resource.target.averageValue: \"1\": must not be set beside averageUtilization; remove one of \
     the two"
)]
fn a_metric_is_refused(#[case] metric: Value, #[case] expected: &str) {
    assert_eq!(errors_of(&metric), expected);
}

#[test]
fn a_second_source_is_refused() {
    let target = json!({"type": "AverageValue", "averageValue": "1"});
    let mut metric = of_metric("Pods", "pods", &target);
    metric["external"] = metric["pods"].clone();
    assert_eq!(
        errors_of(&metric),
        "external: {\"averageValue\":\"1\",\"type\":\"AverageValue\"}: must not be set for a metric of \
         type Pods; remove it, or make it a metric of its own, of type External"
    );
}

#[rstest]
#[case::of_a_resource(resource(&json!({"type": "Utilization", "averageUtilization": 80})))]
#[case::of_a_container(json!({"type": "ContainerResource", "containerResource": {
    "name": "cpu", "container": "main", "target": {"type": "AverageValue", "averageValue": "500m"}
}}))]
#[case::of_pods(of_metric("Pods", "pods", &json!({"type": "AverageValue", "averageValue": "30"})))]
#[case::of_an_object(json!({"type": "Object", "object": {
    "describedObject": {"kind": "Service", "name": "llm"}, "metric": {"name": "queue"},
    "target": {"type": "Value", "value": "1k"}
}}))]
#[case::external(of_metric("External", "external", &json!({"type": "Value", "value": "1"})))]
fn a_metric_is_accepted(#[case] metric: Value) {
    assert_eq!(errors_of(&metric), "");
}

/// A set that was stored with such a metric stays editable.
#[test]
fn an_old_error_is_no_news() {
    let wrong = resource(&json!({"type": "Utilization", "averageUtilization": 0}));
    let config = json!({"maxReplicas": 4, "metrics": [wrong]});
    let place = at(GROUP, "scaleConfig");
    let before = set(&[(place.as_str(), config.clone())]);
    let after = set(&[(place.as_str(), config), ("/spec/replicas", json!(2))]);
    assert_eq!(changes_of(&before, &after), "");
    assert_ne!(changes_of(&set(&[]), &before), "");
}
