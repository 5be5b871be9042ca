//! `ClusterTopologyBinding`, and the topology constraints of users.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pattern of a domain name (Grove).
const DOMAIN: &str = "^[a-z][a-z0-9-]*$";
/// Pattern of the key of a node label (Grove).
const LABEL_KEY: &str =
    "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$";

/// The levels of the cluster's topology and their node labels.
#[derive(
    CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "ClusterTopologyBinding",
    doc = "Names the levels of a cluster's topology, broadest first. The operator maintains a Topology of KAI Scheduler with the same levels, and translates the topology constraints of PodCliqueSets by them.",
    status = "ClusterTopologyBindingStatus",
    shortname = "ct",
    category = "grove",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Domains",
        type_ = "string",
        json_path = ".spec.levels[*].domain"
    ),
    printcolumn(
        name = "InSync",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"SchedulerTopologyDrift\")].reason",
        priority = 1
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTopologyBindingSpec {
    /// The levels of the topology, broadest first; at least one. `placementScore` of PodGangs is
    /// measured by them. After a change the operator recreates its Topology of KAI Scheduler; a change
    /// has no effect on running pods.
    #[schemars(length(min = 1))]
    pub levels: Vec<TopologyLevel>,
    /// Topology objects of schedulers, maintained by others: the operator compares their levels and
    /// changes nothing. For a scheduler of KAI without an entry the operator itself maintains the
    /// Topology with the name of this object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduler_topology_bindings: Vec<SchedulerTopologyBinding>,
}

/// One level of a topology.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyLevel {
    /// Name of the level, used in topology constraints, e.g. `rack`. Lower case letters, digits and
    /// hyphens, 1 to 63 characters.
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub domain: String,
    /// Key of the node label whose value names the domain of a node, e.g.
    /// `topology.kubernetes.io/rack`; at most 63 characters.
    #[schemars(length(min = 1, max = 63), regex(pattern = LABEL_KEY))]
    pub key: String,
}

/// A scheduler's own topology object, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchedulerTopologyBinding {
    /// Name of the scheduler, as in `podSpec.schedulerName`.
    pub scheduler_name: String,
    /// Name of the scheduler's own topology object for this topology.
    pub topology_reference: String,
}

/// Whether the topology objects of schedulers have the same levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTopologyBindingStatus {
    /// Generation of the spec that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `SchedulerTopologyDrift`: a scheduler's topology object has other levels, or there is none.
    /// Absent if no scheduler needs one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The topology objects of the schedulers, by name of the scheduler, and whether their levels are
    /// the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduler_topology_statuses: Vec<SchedulerTopologyStatus>,
}

/// Whether a scheduler's topology object has the same levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchedulerTopologyStatus {
    /// Name of the scheduler, as in `podSpec.schedulerName`.
    pub scheduler_name: String,
    /// Name of its topology object: that of its entry in `schedulerTopologyBindings`, else the name
    /// of this object.
    pub topology_reference: String,
    /// Whether the topology object exists and has the same levels in the same order.
    pub in_sync: bool,
    /// Generation of the topology object that was compared; 0 if there is none.
    #[serde(default)]
    pub scheduler_backend_topology_observed_generation: i64,
    /// The difference, or the missing object, with the remedy; empty if both have the same levels.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Topology domains in which to place pods, by the levels of a `ClusterTopologyBinding`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyConstraint {
    /// Name of the ClusterTopologyBinding; the same in all constraints of a set.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub topology_name: String,
    /// Levels whose domain the pods have to, or should, share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<TopologyPack>,
    /// Deprecated, refused for new sets: use `pack.required`, which means the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub pack_domain: String,
}

/// Names of the domains that pods have to, or should, share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyPack {
    /// Name of a level whose domain all pods have to share. Pods wait where it has no room; the
    /// operator keeps pods that join later in the domain of those that run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub required: String,
    /// Name of a level whose domain the pods should share, if it has room.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub preferred: String,
}
