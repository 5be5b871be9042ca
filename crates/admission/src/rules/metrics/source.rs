//! What a metric measures, and its target.

use domain::object::quantity::parse_quantity;
use k8s_openapi::api::autoscaling::v2::{MetricSpec, MetricTarget};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::{Value as Json, json};

/// A type of metrics.
pub(super) struct Kind {
    pub type_: &'static str,
    /// The field of its source.
    pub field: &'static str,
    /// The values that its target may have; it needs one.
    pub values: &'static [&'static str],
    /// Whether it may have no second one.
    pub has_one_value: bool,
}

const RESOURCE: Kind = Kind {
    type_: "Resource",
    field: "resource",
    values: &["averageUtilization", "averageValue"],
    has_one_value: true,
};
const CONTAINER_RESOURCE: Kind = Kind {
    type_: "ContainerResource",
    field: "containerResource",
    ..RESOURCE
};
const PODS: Kind = Kind {
    type_: "Pods",
    field: "pods",
    values: &["averageValue"],
    has_one_value: false,
};
const OBJECT: Kind = Kind {
    type_: "Object",
    field: "object",
    values: &["averageValue", "value"],
    has_one_value: false,
};
const EXTERNAL: Kind = Kind {
    type_: "External",
    field: "external",
    has_one_value: true,
    ..OBJECT
};

/// All types.
pub(super) const KINDS: [&Kind; 5] = [&RESOURCE, &CONTAINER_RESOURCE, &PODS, &OBJECT, &EXTERNAL];

/// What a metric measures.
pub(super) struct Source<'a> {
    pub kind: &'static Kind,
    /// The names that it needs, with their fields.
    pub names: Vec<(&'static str, &'a str)>,
    pub target: &'a MetricTarget,
}

/// All sources of a metric, which may have one.
pub(super) fn sources_of(metric: &MetricSpec) -> Vec<Source<'_>> {
    let resource = metric.resource.as_ref().map(|s| Source {
        kind: &RESOURCE,
        names: vec![("name", s.name.as_str())],
        target: &s.target,
    });
    let container = metric.container_resource.as_ref().map(|s| Source {
        kind: &CONTAINER_RESOURCE,
        names: vec![
            ("name", s.name.as_str()),
            ("container", s.container.as_str()),
        ],
        target: &s.target,
    });
    let pods = metric.pods.as_ref().map(|s| Source {
        kind: &PODS,
        names: vec![("metric.name", s.metric.name.as_str())],
        target: &s.target,
    });
    let object = metric.object.as_ref().map(|s| Source {
        kind: &OBJECT,
        names: vec![
            ("metric.name", s.metric.name.as_str()),
            ("describedObject.kind", s.described_object.kind.as_str()),
            ("describedObject.name", s.described_object.name.as_str()),
        ],
        target: &s.target,
    });
    let external = metric.external.as_ref().map(|s| Source {
        kind: &EXTERNAL,
        names: vec![("metric.name", s.metric.name.as_str())],
        target: &s.target,
    });
    let all = [resource, container, pods, object, external];
    all.into_iter().flatten().collect()
}

/// A value of a target.
pub(super) struct Value {
    pub field: &'static str,
    /// The type of targets with it.
    pub type_: &'static str,
    pub json: Json,
    pub is_positive: bool,
    /// A value that is accepted.
    pub example: &'static str,
}

/// All values of a target.
pub(super) fn values_of(target: &MetricTarget) -> Vec<Value> {
    let utilization = target.average_utilization.map(|percent| Value {
        field: "averageUtilization",
        type_: "Utilization",
        json: json!(percent),
        is_positive: percent > 0,
        example: "80",
    });
    let average = target.average_value.as_ref();
    let average = average.map(|amount| of_amount("averageValue", "AverageValue", amount));
    let value = target.value.as_ref();
    let value = value.map(|amount| of_amount("value", "Value", amount));
    [utilization, average, value]
        .into_iter()
        .flatten()
        .collect()
}

/// A text that is no quantity is refused elsewhere.
fn of_amount(field: &'static str, type_: &'static str, amount: &Quantity) -> Value {
    Value {
        field,
        type_,
        json: json!(amount),
        is_positive: parse_quantity(&amount.0).is_none_or(|amount| amount > 0.0),
        example: "1",
    }
}
