//! The kinds of KAI Scheduler: the fields that this operator writes or reads.

use std::collections::BTreeMap;

use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Pods that KAI Scheduler places together, as groups of pods. Fields of other writers stay.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "scheduling.run.ai",
    version = "v2alpha2",
    kind = "PodGroup",
    root = "KaiPodGroup",
    namespaced,
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
#[serde(rename_all = "camelCase")]
pub struct KaiPodGroupSpec {
    /// Name of the queue whose quota it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Name of the PriorityClass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
    /// How many direct children are required; all if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_sub_group: Option<u32>,
    /// The groups, each with the name of its parent; the root if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_groups: Vec<KaiSubGroup>,
    /// How long it may run below its minimum; for ever if negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staleness_grace_period: Option<String>,
    /// Whether others may evict it: `preemptible` or `non-preemptible`; by its priority if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptibility: Option<String>,
    /// How long it waits before it evicts others (KAI 0.17 and later).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption_delay: Option<String>,
    /// How close together its pods have to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<KaiTopologyConstraint>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// How close together pods have to be: `topology`, the name of a [`KaiTopology`], and
/// `requiredTopologyLevel` and `preferredTopologyLevel`, the node labels of two of its levels.
pub type KaiTopologyConstraint = BTreeMap<String, Value>;

/// A group of pods, or of groups. KAI's webhook refuses `minMember` and `minSubGroup` together: a
/// leaf has `minMember`, an inner node `minSubGroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KaiSubGroup {
    /// Its name, unique in the PodGroup; pods name it by a label.
    pub name: String,
    /// Name of its parent; `None` if the parent is the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The least number of pods; leaves only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_member: Option<u32>,
    /// The least number of children; inner nodes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_sub_group: Option<u32>,
    /// How close together its pods have to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<KaiTopologyConstraint>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// A share of the cluster. The operator reads only whether it exists.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "scheduling.run.ai",
    version = "v2",
    kind = "Queue",
    root = "KaiQueue",
    no_spec,
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
pub struct KaiQueueSpec {}

/// The levels of the cluster's topology, as KAI Scheduler reads them. Its definition makes
/// `spec.levels` immutable.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "kai.scheduler",
    version = "v1alpha1",
    kind = "Topology",
    plural = "topologies",
    root = "KaiTopology",
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
pub struct KaiTopologySpec {
    /// The levels, broadest first; at most [`MAX_TOPOLOGY_LEVELS`], each once.
    #[serde(default)]
    pub levels: Vec<KaiTopologyLevel>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// One level of a topology.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KaiTopologyLevel {
    /// Key of the node label whose value names the domain of a node.
    pub node_label: String,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// As many levels as KAI's definition of topologies allows.
pub const MAX_TOPOLOGY_LEVELS: usize = 16;
/// The node label that KAI's definition of topologies allows in the last level only.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// The grace period of gangs whose end the operator decides: KAI never evicts such a gang for a
/// missing part.
pub const NEVER_STALE: &str = "-1s";

/// Keys that KAI Scheduler reads.
pub mod keys {
    /// Label of a set: `preemptible` or `non-preemptible`.
    pub const PREEMPTIBILITY: &str = "kai.scheduler/preemptibility";
    /// Label of a set: name of its PriorityClass.
    pub const PRIORITY: &str = "priorityClassName";
    /// Annotation of a set: how long it waits before it evicts others.
    pub const PREEMPTION_DELAY: &str = "kai.scheduler/preemption-delay";
    /// Annotation of a set: how long it may run below its minimum; for ever if negative.
    pub const STALENESS: &str = "kai.scheduler/staleness-grace-period";
    /// Annotation of a set: name of the Topology of the next two keys.
    pub const TOPOLOGY: &str = "kai.scheduler/topology";
    /// Annotation of a set: level of the domain that all its pods have to share.
    pub const TOPOLOGY_REQUIRED: &str = "kai.scheduler/topology-required-placement";
    /// Annotation of a set: level of the domain that its pods should share if possible.
    pub const TOPOLOGY_PREFERRED: &str = "kai.scheduler/topology-preferred-placement";
    /// Keys that its pod-grouper reads of other workloads and that do not apply to a gang.
    pub const NOT_OF_GANGS: [&str; 4] = [
        "kai.scheduler/segment-size",
        "kai.scheduler/segment-topology-required-placement",
        "kai.scheduler/segment-topology-preferred-placement",
        "kai.scheduler/batch-min-member",
    ];
    /// Annotation of a pod: its pod-grouper leaves the pod alone.
    pub const SKIP_POD_GROUPER: &str = "kai.scheduler/skip-podgrouper";
    /// Annotation of a pod: name of its PodGroup.
    pub const POD_GROUP: &str = "pod-group-name";
}
