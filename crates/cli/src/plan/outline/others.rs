//! Scaling groups, Services, autoscalers.

use api::PodCliqueScalingGroup;
use domain::object::ownership;
use domain::plan::Kind;
use k8s_openapi::api::autoscaling::v2::{HorizontalPodAutoscaler, MetricSpec, MetricTarget};
use k8s_openapi::api::core::v1;
use kube::Resource;
use serde::Serialize;

use crate::exit::Failure;
use crate::json;
use crate::plan::world::World;

/// A scaling group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its replicas.
    pub replicas: i32,
    /// Number of its replicas in the base gang.
    pub min_available: i32,
    /// Its cliques.
    pub cliques: Vec<String>,
}

/// A headless Service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Its DNS name.
    pub address: String,
    /// Whether pods that are not Ready have an address, too.
    pub publishes_not_ready: bool,
}

/// An autoscaler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Autoscaler {
    /// Its name, which is that of its target.
    pub name: String,
    /// Kind of its target.
    pub target_kind: String,
    /// The least replicas.
    pub min_replicas: i32,
    /// The most.
    pub max_replicas: i32,
    /// Its metrics.
    pub metrics: Vec<String>,
}

pub(super) fn list_groups(world: &World) -> Result<Vec<Group>, Failure> {
    let groups: Vec<PodCliqueScalingGroup> = world.all()?;
    Ok(groups
        .into_iter()
        .map(|group| Group {
            name: ownership::name(&group.metadata).to_owned(),
            replicas: group.spec.replicas,
            min_available: group.spec.min_available.unwrap_or(1),
            cliques: group.spec.clique_names,
        })
        .collect())
}

pub(super) fn list_services(world: &World, namespace: &str) -> Result<Vec<Service>, Failure> {
    let services: Vec<v1::Service> = world.all()?;
    Ok(services
        .into_iter()
        .map(|service| {
            let name = ownership::name(&service.metadata);
            let spec = service.spec.as_ref();
            let publishes = spec.and_then(|spec| spec.publish_not_ready_addresses);
            Service {
                address: format!("{name}.{namespace}.svc.cluster.local"),
                name: name.to_owned(),
                publishes_not_ready: publishes.unwrap_or(false),
            }
        })
        .collect())
}

/// Names of the objects of a kind that nobody deletes.
pub(super) fn list_staying<K: Resource<DynamicType = ()>>(world: &World) -> Vec<String> {
    let all = world.stored(Kind::of::<K>());
    let staying = all.filter(|(_, object)| !json::is_terminating(object));
    staying.map(|(key, _)| key.name.clone()).collect()
}

pub(super) fn list_autoscalers(world: &World) -> Result<Vec<Autoscaler>, Failure> {
    let autoscalers: Vec<HorizontalPodAutoscaler> = world.all()?;
    Ok(autoscalers
        .into_iter()
        .map(|autoscaler| Autoscaler {
            name: ownership::name(&autoscaler.metadata).to_owned(),
            target_kind: autoscaler.spec.scale_target_ref.kind.clone(),
            min_replicas: autoscaler.spec.min_replicas.unwrap_or(1),
            max_replicas: autoscaler.spec.max_replicas,
            metrics: autoscaler
                .spec
                .metrics
                .iter()
                .flatten()
                .map(describe_metric)
                .collect(),
        })
        .collect())
}

fn describe_metric(metric: &MetricSpec) -> String {
    let named = |name: &str, target: &MetricTarget| format!("{name} {}", describe_target(target));
    if let Some(resource) = &metric.resource {
        return named(&resource.name, &resource.target);
    }
    if let Some(resource) = &metric.container_resource {
        let name = format!("{} of {}", resource.name, resource.container);
        return named(&name, &resource.target);
    }
    if let Some(pods) = &metric.pods {
        return named(&pods.metric.name, &pods.target);
    }
    if let Some(object) = &metric.object {
        return named(&object.metric.name, &object.target);
    }
    if let Some(external) = &metric.external {
        return named(&external.metric.name, &external.target);
    }
    metric.type_.clone()
}

fn describe_target(target: &MetricTarget) -> String {
    if let Some(percent) = target.average_utilization {
        return format!("{percent} %");
    }
    let average = target.average_value.as_ref();
    let average = average.map(|value| format!("{} per replica", value.0));
    let whole = target.value.as_ref().map(|value| value.0.clone());
    average.or(whole).unwrap_or_default()
}
