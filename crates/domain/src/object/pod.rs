//! The few fields of a pod that rules need. Decoding no others keeps 10,000 pods below 100 MB.

mod claim;
mod container;
mod disruption;
mod failure;
mod replacement;
mod restart_policy;
mod start_order;
mod state;
mod status;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::labels;
use k8s_openapi::api::core::v1::Pod as FullPod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use kube::Resource;
use serde::{Deserialize, Deserializer};

pub use self::claim::PodClaim;
pub use self::container::Container;
pub use self::disruption::Disruption;
pub use self::restart_policy::RestartPolicy;
pub use self::status::{
    ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting,
};
use super::ownership;

/// A pod as seen in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = FullPod)]
pub struct Pod {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
    /// The few fields of the spec.
    #[serde(default)]
    pub spec: PodSpec,
    /// The few fields of the status.
    #[serde(default)]
    pub status: PodStatus,
}

/// The fields of a pod's spec that rules read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    /// Set by the operator: `<podclique>-<index>`.
    pub hostname: Option<String>,
    /// The scheduler that places it; the API server writes its default.
    pub scheduler_name: Option<String>,
    /// Set once the pod is bound.
    pub node_name: Option<String>,
    /// The node labels that its node has to have.
    #[serde(default)]
    pub node_selector: BTreeMap<String, String>,
    /// Whether it tolerates any taint.
    #[serde(
        default,
        rename = "tolerations",
        deserialize_with = "state::has_entries"
    )]
    pub has_tolerations: bool,
    /// Its priority; the API server sets it.
    pub priority: Option<i32>,
    /// The gates that keep the scheduler away.
    #[serde(default)]
    pub scheduling_gates: Vec<Gate>,
    /// The pods that Kubernetes' own scheduler places together with it.
    pub scheduling_group: Option<SchedulingGroup>,
    /// Whether the kubelet starts its containers again.
    #[serde(default)]
    pub restart_policy: RestartPolicy,
    /// Whether one of its volumes shows the pod when it may start.
    #[serde(
        default,
        rename = "volumes",
        deserialize_with = "start_order::has_start_volume"
    )]
    pub has_start_volume: bool,
    /// The resource claims that it names.
    #[serde(default)]
    pub resource_claims: Vec<PodClaim>,
    /// Its init containers.
    #[serde(default)]
    pub init_containers: Vec<Container>,
    /// Its app containers.
    #[serde(default)]
    pub containers: Vec<Container>,
}

/// The group of pods that a pod is placed with.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchedulingGroup {
    /// Name of their PodGroup.
    pub pod_group_name: Option<String>,
}

/// A scheduling gate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Gate {
    /// Name of the gate.
    pub name: String,
}

/// Sorts them by index, and by name if several have the same index.
pub fn sort_pods(pods: &mut [Arc<Pod>]) {
    // Names are already in order, except those of pods to be adopted.
    pods.sort_by(|a, b| a.name().cmp(b.name()));
    pods.sort_by_cached_key(|pod| pod.index());
}

impl Pod {
    /// Name of the pod.
    pub fn name(&self) -> &str {
        ownership::name(&self.metadata)
    }

    /// Uid of the pod.
    pub fn uid(&self) -> &str {
        ownership::uid(&self.metadata)
    }

    /// The index in its PodClique: the end of the hostname, which cannot be changed, else the label
    /// (pods of the Go operator have both).
    pub fn index(&self) -> Option<i32> {
        let hostname = self
            .spec
            .hostname
            .as_deref()
            .and_then(|h| h.rsplit_once('-'));
        hostname
            .and_then(|(_, index)| index.parse().ok())
            .or_else(|| ownership::label_index(&self.metadata, labels::POD_INDEX))
    }

    /// Whether any gate, ours or another's, keeps the scheduler away.
    pub fn is_gated(&self) -> bool {
        !self.spec.scheduling_gates.is_empty()
    }

    /// Position of our gate in the list of gates.
    pub fn gate_position(&self) -> Option<usize> {
        self.spec
            .scheduling_gates
            .iter()
            .position(|g| g.name == labels::POD_GANG_GATE)
    }

    /// Name of the PodGroup (`scheduling.k8s.io`) that it bears from its creation on.
    pub fn pod_group(&self) -> Option<&str> {
        let group = self.spec.scheduling_group.as_ref();
        group.and_then(|group| group.pod_group_name.as_deref())
    }

    /// The scheduler that places it.
    pub fn scheduler_name(&self) -> &str {
        scheduler_or_default(self.spec.scheduler_name.as_deref())
    }

    /// Whether it is placed by the scheduler of this name; none is Kubernetes' own.
    pub fn names_scheduler(&self, name: Option<&str>) -> bool {
        self.scheduler_name() == scheduler_or_default(name)
    }

    /// Whether it is bound to a node.
    pub fn is_scheduled(&self) -> bool {
        self.spec.node_name.is_some() || self.has_condition("PodScheduled")
    }

    /// Whether deletion was requested.
    pub fn is_terminating(&self) -> bool {
        ownership::is_terminating(&self.metadata)
    }
}

fn scheduler_or_default(name: Option<&str>) -> &str {
    let name = name.filter(|name| !name.is_empty());
    name.unwrap_or("default-scheduler")
}

pub(super) fn lean_metadata<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ObjectMeta, D::Error> {
    let meta = LeanMeta::deserialize(deserializer)?;
    Ok(ObjectMeta {
        name: meta.name,
        namespace: meta.namespace,
        uid: meta.uid,
        resource_version: meta.resource_version,
        labels: meta.labels,
        annotations: meta.annotations,
        owner_references: meta.owner_references,
        finalizers: meta.finalizers,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
        ..ObjectMeta::default()
    })
}

/// Everything in `metadata` but managed fields, which are never even decoded.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeanMeta {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<std::collections::BTreeMap<String, String>>,
    annotations: Option<std::collections::BTreeMap<String, String>>,
    owner_references: Option<Vec<OwnerReference>>,
    finalizers: Option<Vec<String>>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    deletion_grace_period_seconds: Option<i64>,
}
