//! Updates of a set: how they are to run, and how far one is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GoDuration;
use crate::duration::POSITIVE;

/// How a changed pod template reaches running pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// `RollingRecreate` (default): one replica after the other; `OnDelete`: pods that somebody
    /// deletes.
    ///
    /// A switch counts at once: to `OnDelete` ends an update where it is, to `RollingRecreate`
    /// begins one if any pod has an older template.
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

/// How much an update may take down at a time, and how long it may stand still before that is
/// reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollingUpdate {
    /// How many may be missing during an update: pods of a clique, replicas of a group. Default 1.
    ///
    /// From 1 to `replicas`. What is missing for other reasons counts. Where more runs than
    /// `minAvailable`, the update never goes below that. A change counts at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<i32>,
    /// How long an update may make no progress before that is reported, e.g. `10m`. Default: never.
    ///
    /// A Go duration greater than 0. Condition `UpdateInProgress` becomes `Unknown` with reason
    /// `ProgressDeadlineExceeded`; the update goes on. A change counts at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = POSITIVE))]
    pub progress_deadline: Option<GoDuration>,
}

/// The running or last update of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsUpdateProgress {
    /// When the update began: a changed template was seen.
    pub update_started_at: Time,
    /// When the last replica was updated; absent while the update runs.
    ///
    /// With `OnDelete` the same as the start: the operator has nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Standalone PodCliques whose pods all have the newest template.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// Standalone PodCliques in all replicas of the set.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Scaling groups whose pods all have the newest template.
    #[serde(default)]
    pub updated_pod_clique_scaling_groups_count: i32,
    /// Scaling groups in all replicas of the set.
    #[serde(default)]
    pub total_pod_clique_scaling_groups_count: i32,
    /// The replica whose turn it is: one at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub currently_updating: Vec<ReplicaUpdateProgress>,
}

/// The replica of a set whose turn it is in an update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUpdateProgress {
    /// Index of the replica in the set, from 0.
    pub replica_index: i32,
    /// When the turn of this replica of the set began.
    pub update_started_at: Time,
    /// When the turn of this replica ended; the entry goes with that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
}
