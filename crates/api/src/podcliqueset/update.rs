//! Updates of a set: how they are to run, and how far one is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a changed template reaches running pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// Default `RollingRecreate`. Neither value has an effect yet.
    ///
    /// Updates are not built. `OnDelete` is named in condition `FieldNotImplemented`.
    #[serde(rename = "type", default)]
    pub type_: UpdateStrategyType,
}

/// The ways an update can run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpdateStrategyType {
    /// One replica at a time is recreated from the new template.
    #[default]
    RollingRecreate,
    /// Pods take the new template when somebody deletes them.
    OnDelete,
}

/// The running or last update of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsUpdateProgress {
    /// When the update began. Not written by this operator.
    pub update_started_at: Time,
    /// When the update ended. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Standalone PodCliques updated. Not written here.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// Standalone PodCliques in all. Not written here.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Scaling groups updated. Not written by this operator.
    #[serde(default)]
    pub updated_pod_clique_scaling_groups_count: i32,
    /// Scaling groups in all. Not written by this operator.
    #[serde(default)]
    pub total_pod_clique_scaling_groups_count: i32,
    /// The replica being updated. Not written by this operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub currently_updating: Vec<ReplicaUpdateProgress>,
}

/// Update of one replica. Not written by this operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUpdateProgress {
    /// Index of the replica. Not written by this operator.
    pub replica_index: i32,
    /// When its update began. Not written by this operator.
    pub update_started_at: Time,
    /// When its update ended. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
}
