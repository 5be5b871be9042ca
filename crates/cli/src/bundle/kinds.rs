//! The kinds of a set's objects, as the API server knows them.

use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, kueue, labels,
};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::core::ApiResource;
use kube::{CustomResourceExt, Resource};

/// Kinds of an API group that not every cluster serves.
#[derive(Clone, Copy, Debug)]
pub struct ServedGroup {
    /// The name of the group.
    pub name: &'static str,
    /// Its kinds that belong to sets.
    pub kinds: &'static [&'static str],
    /// They exist for sets with this word in them; empty: for all.
    pub word: &'static str,
}

/// Kind of the topologies of KAI Scheduler: of the cluster, and of no set.
pub const TOPOLOGY: &str = "Topology";
/// The field of a set that names its topology.
pub const TOPOLOGY_NAME: &str = "topologyName";

/// Those of schedulers, queues and devices.
pub const SERVED: [ServedGroup; 7] = [
    ServedGroup {
        name: "scheduling.k8s.io",
        kinds: &["PodGroup", "CompositePodGroup", "Workload"],
        word: "",
    },
    ServedGroup {
        name: "scheduling.run.ai",
        kinds: &["PodGroup"],
        word: "",
    },
    ServedGroup {
        name: "scheduling.volcano.sh",
        kinds: &["PodGroup"],
        word: "",
    },
    ServedGroup {
        name: kueue::GROUP,
        kinds: &["Workload"],
        word: kueue::keys::QUEUE,
    },
    ServedGroup {
        name: "resource.k8s.io",
        kinds: &["ResourceClaim"],
        word: "resourceSharing",
    },
    ServedGroup {
        name: "resource.nvidia.com",
        kinds: &["ComputeDomain"],
        word: labels::MNNVL_GROUP,
    },
    ServedGroup {
        name: "kai.scheduler",
        kinds: &[TOPOLOGY],
        word: TOPOLOGY_NAME,
    },
];

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
