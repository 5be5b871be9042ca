//! The metrics of an autoscaler.

use std::borrow::Cow;

use api::podclique::AutoScalingConfig;
use k8s_openapi::api::autoscaling::v2::{
    MetricIdentifier, MetricSpec, MetricTarget, ResourceMetricSource,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::quantity;

/// Kubernetes' default metric, in percent of the CPU that pods request. It is written out, so that
/// an autoscaler whose metrics were removed from the template returns to it.
const DEFAULT_CPU_UTILIZATION: i32 = 80;

/// The metrics of the configuration, or Kubernetes' default.
pub(super) fn of(config: &AutoScalingConfig) -> Cow<'_, [MetricSpec]> {
    if config.metrics.is_empty() {
        return Cow::Owned(vec![cpu()]);
    }
    Cow::Borrowed(&config.metrics)
}

fn cpu() -> MetricSpec {
    MetricSpec {
        type_: "Resource".into(),
        resource: Some(ResourceMetricSource {
            name: "cpu".into(),
            target: MetricTarget {
                type_: "Utilization".into(),
                average_utilization: Some(DEFAULT_CPU_UTILIZATION),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}

/// Whether both have the same meaning, in any notation.
pub(super) fn are_same(one: &[MetricSpec], other: &[MetricSpec]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(a, b)| a == b || plain(a) == plain(b))
}

/// The metric in comparable form: quantities by their value, without empty fields.
fn plain(metric: &MetricSpec) -> MetricSpec {
    let mut metric = metric.clone();
    let MetricSpec {
        container_resource,
        external,
        object,
        pods,
        resource,
        type_: _,
    } = &mut metric;
    let identifiers = [
        external.as_mut().map(|m| &mut m.metric),
        object.as_mut().map(|m| &mut m.metric),
        pods.as_mut().map(|m| &mut m.metric),
    ];
    identifiers.into_iter().flatten().for_each(drop_void);
    let targets = [
        container_resource.as_mut().map(|m| &mut m.target),
        external.as_mut().map(|m| &mut m.target),
        object.as_mut().map(|m| &mut m.target),
        pods.as_mut().map(|m| &mut m.target),
        resource.as_mut().map(|m| &mut m.target),
    ];
    for target in targets.into_iter().flatten() {
        let quantities = [&mut target.value, &mut target.average_value];
        for quantity in quantities.into_iter().flatten() {
            quantity.0 = quantity::plain(&quantity.0);
        }
    }
    metric
}

/// The API server does not store empty lists.
fn drop_void(metric: &mut MetricIdentifier) {
    let Some(LabelSelector {
        match_expressions,
        match_labels,
    }) = &mut metric.selector
    else {
        return;
    };
    for expression in match_expressions.iter_mut().flatten() {
        expression.values.take_if(|values| values.is_empty());
    }
    match_expressions.take_if(|all| all.is_empty());
    match_labels.take_if(|all| all.is_empty());
}
