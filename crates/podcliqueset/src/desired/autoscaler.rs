//! HorizontalPodAutoscalers of cliques and scaling groups (docs/semantics.md §9.4). Each has the
//! name of its target.

mod metrics;
mod quantity;

use std::borrow::Cow;

use api::PodCliqueSet;
use api::labels::component;
use api::podclique::AutoScalingConfig;
use domain::object::ownership;
use k8s_openapi::api::autoscaling::v2::{
    CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec,
};
use kube::Resource;

use super::metadata;

/// An autoscaler of the template, prepared once for all replicas.
#[derive(Clone, Debug)]
pub struct Ready<'a> {
    api_version: String,
    kind: String,
    config: &'a AutoScalingConfig,
    metrics: Cow<'a, [MetricSpec]>,
}

impl<'a> Ready<'a> {
    /// Of objects of kind `K`; the configuration has its defaults.
    pub fn of<K: Resource<DynamicType = ()>>(config: &'a AutoScalingConfig) -> Self {
        Self {
            api_version: K::api_version(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            metrics: metrics::of(config),
            config,
        }
    }
}

/// The autoscaler of the object of this name, without its metrics, which may be many and which all
/// replicas share.
pub fn build(set: &PodCliqueSet, name: &str, ready: &Ready<'_>) -> HorizontalPodAutoscaler {
    HorizontalPodAutoscaler {
        metadata: metadata(set, name, name, component::AUTOSCALER),
        spec: HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: Some(ready.api_version.clone()),
                kind: ready.kind.clone(),
                name: name.to_owned(),
            },
            min_replicas: ready.config.min_replicas,
            max_replicas: ready.config.max_replicas,
            ..HorizontalPodAutoscalerSpec::default()
        },
        status: None,
    }
}

/// Whether the autoscaler has everything that is desired. Every decision checks each autoscaler, so
/// nothing is copied here.
pub fn is_right(
    found: &HorizontalPodAutoscaler,
    desired: &HorizontalPodAutoscaler,
    ready: &Ready<'_>,
) -> bool {
    let (is, should) = (&found.spec, &desired.spec);
    let (meta, own) = (&found.metadata, &desired.metadata);
    let labels = meta.labels.as_ref();
    let has = |(key, value)| labels.and_then(|all| all.get(key)) == Some(value);
    own.labels.iter().flatten().all(has)
        && ownership::controller(meta) == ownership::controller(own)
        && is.scale_target_ref == should.scale_target_ref
        && is.min_replicas == should.min_replicas
        && is.max_replicas == should.max_replicas
        && has_metrics(is, ready)
}

/// The autoscaler with its metrics; metrics that are already right stay, as the API server writes
/// quantities in its own form.
#[must_use]
pub fn with_metrics(
    mut desired: HorizontalPodAutoscaler,
    ready: &Ready<'_>,
    found: Option<&HorizontalPodAutoscaler>,
) -> HorizontalPodAutoscaler {
    let is_right = found.is_some_and(|found| has_metrics(&found.spec, ready));
    desired.spec.metrics = (!is_right).then(|| ready.metrics.to_vec());
    desired
}

fn has_metrics(spec: &HorizontalPodAutoscalerSpec, ready: &Ready<'_>) -> bool {
    metrics::are_same(spec.metrics.as_deref().unwrap_or_default(), &ready.metrics)
}
