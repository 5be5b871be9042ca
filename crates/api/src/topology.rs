//! `ClusterTopologyBinding` and the constraints that users write in its terms.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a domain name looks like (Grove).
const DOMAIN: &str = "^[a-z][a-z0-9-]*$";
/// What the key of a node label looks like (Grove).
const LABEL_KEY: &str =
    "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$";

/// Names the levels of a cluster's topology, broadest first.
#[derive(
    CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "ClusterTopologyBinding",
    doc = "Names the levels of a cluster's topology, broadest first.",
    status = "ClusterTopologyBindingStatus",
    shortname = "ct",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Domains",
        type_ = "string",
        json_path = ".spec.levels[*].domain"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTopologyBindingSpec {
    /// The levels, broadest first; at least one.
    #[schemars(length(min = 1))]
    pub levels: Vec<TopologyLevel>,
    /// Topology objects of schedulers that somebody else keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduler_topology_bindings: Vec<SchedulerTopologyBinding>,
}

/// One level of a topology.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyLevel {
    /// The name users write, e.g. `rack`.
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub domain: String,
    /// The node label whose value tells the domain, e.g. `topology.kubernetes.io/rack`.
    #[schemars(length(min = 1, max = 63), regex(pattern = LABEL_KEY))]
    pub key: String,
}

/// A scheduler's own topology object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchedulerTopologyBinding {
    /// Name of the scheduler.
    pub scheduler_name: String,
    /// Name of its topology object.
    pub topology_reference: String,
}

/// What is known of a `ClusterTopologyBinding`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTopologyBindingStatus {
    /// Generation of the spec that the rest of this status speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `SchedulerTopologyDrift`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The topology objects of the schedulers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduler_topology_statuses: Vec<SchedulerTopologyStatus>,
}

/// Whether a scheduler's topology object has the same levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchedulerTopologyStatus {
    /// Name of the scheduler.
    pub scheduler_name: String,
    /// Name of its topology object.
    pub topology_reference: String,
    /// Whether both have the same levels.
    pub in_sync: bool,
    /// Generation of the topology object that was compared.
    #[serde(default)]
    pub scheduler_backend_topology_observed_generation: i64,
    /// What differs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Where pods have to be placed, in the words of a `ClusterTopologyBinding`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyConstraint {
    /// Name of the `ClusterTopologyBinding`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub topology_name: String,
    /// Pack pods into one domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<TopologyPack>,
    /// Deprecated name of `pack.required`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub pack_domain: String,
}

/// Names of the domains that pods have to, or should, share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyPack {
    /// Must be shared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub required: String,
    /// Should be shared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), regex(pattern = DOMAIN))]
    pub preferred: String,
}
