//! The kinds of a set's objects, as the API server knows them.

use api::{ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
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

/// The kind of this type.
pub fn of<K: Resource<DynamicType = ()>>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

/// Kinds of the set's objects that carry its label, without those of schedulers.
pub fn of_set() -> [ApiResource; 6] {
    [
        of::<PodCliqueScalingGroup>(),
        of::<PodClique>(),
        of::<PodGang>(),
        of::<Pod>(),
        of::<Service>(),
        of::<HorizontalPodAutoscaler>(),
    ]
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
