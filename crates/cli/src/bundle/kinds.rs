//! The kinds of a set's objects, as the API server knows them.

use api::{ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Event, Node, Pod, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::ApiResource;
use kube::{CustomResourceExt, Resource};

/// API groups of schedulers that get PodGroups.
pub const SCHEDULERS: [&str; 3] = [
    "scheduling.k8s.io",
    "scheduling.run.ai",
    "scheduling.volcano.sh",
];
/// The kinds by which they get gangs.
pub const SCHEDULER_KINDS: [&str; 3] = ["PodGroup", "CompositePodGroup", "Workload"];

/// The set itself.
pub fn set() -> ApiResource {
    resource::<PodCliqueSet>()
}

/// Kinds of the set's objects that carry its label, without those of schedulers.
pub fn of_set() -> [ApiResource; 6] {
    [
        resource::<PodCliqueScalingGroup>(),
        resource::<PodClique>(),
        resource::<PodGang>(),
        pods(),
        resource::<Service>(),
        resource::<HorizontalPodAutoscaler>(),
    ]
}

/// Pods.
pub fn pods() -> ApiResource {
    resource::<Pod>()
}

/// Events.
pub fn events() -> ApiResource {
    resource::<Event>()
}

/// Nodes.
pub fn nodes() -> ApiResource {
    resource::<Node>()
}

/// Definitions of kinds.
pub fn definitions() -> ApiResource {
    resource::<CustomResourceDefinition>()
}

/// Names of the definitions of our kinds.
pub fn definition_names() -> [&'static str; 5] {
    [
        PodCliqueSet::crd_name(),
        PodCliqueScalingGroup::crd_name(),
        PodClique::crd_name(),
        PodGang::crd_name(),
        ClusterTopologyBinding::crd_name(),
    ]
}

fn resource<K: Resource<DynamicType = ()>>() -> ApiResource {
    ApiResource::erase::<K>(&())
}
