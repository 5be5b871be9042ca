//! `PodCliqueScalingGroup`: cliques that are scaled together.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::podclique::WaitingPod;
use crate::podcliqueset::ReplicaAttempt;
use crate::{LastError, WorkloadType};

/// Cliques that are scaled as one unit within one replica of a PodCliqueSet.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodCliqueScalingGroup",
    doc = "Cliques that are scaled together within one replica of a PodCliqueSet. Created by the operator.",
    namespaced,
    status = "PodCliqueScalingGroupStatus",
    shortname = "pcsg",
    category = "grove",
    selectable = ".spec.workloadType",
    derive = "PartialEq",
    derive = "Default",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(
        name = "MinAvail",
        type_ = "integer",
        json_path = ".spec.minAvailable",
        priority = 1
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type_ = "integer",
        json_path = ".status.availableReplicas"
    ),
    printcolumn(
        name = "Scheduled",
        type_ = "integer",
        json_path = ".status.scheduledReplicas"
    ),
    printcolumn(
        name = "Updated",
        type_ = "integer",
        json_path = ".status.updatedReplicas",
        priority = 1
    ),
    printcolumn(
        name = "PCLQs-Updated",
        type_ = "integer",
        json_path = ".status.updateProgress.updatedPodCliquesCount",
        priority = 1
    ),
    printcolumn(
        name = "PCLQs-Total",
        type_ = "integer",
        json_path = ".status.updateProgress.totalPodCliquesCount",
        priority = 1
    ),
    printcolumn(
        name = "MinBreached",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"MinAvailableBreached\")].status",
        priority = 1
    ),
    printcolumn(
        name = "State",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = 1
    )
)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupSpec {
    /// Number of group replicas. Default 1, at most 10,000; 0 is allowed.
    ///
    /// After creation it belongs to users and autoscalers (`/scale`): a changed template applies
    /// only if the group was not scaled. Scaling in deletes the group replicas with the highest
    /// indices, with their pods. Cannot be changed for `Training`.
    #[serde(default = "one")]
    pub replicas: i32,
    /// How many group replicas are required and start together. Default 1.
    ///
    /// Copied from the template at creation; cannot be changed. Group replicas from this index on
    /// are optional, and each has its own PodGang. `replicas` may be scaled below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// The cliques of one group replica, at most 500 names. Copied from the template by the
    /// operator, which reverts edits.
    pub clique_names: Vec<String>,
    /// Copied from the PodCliqueSet by the operator. Cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
}

fn one() -> i32 {
    1
}

/// Status of the group. Only the operator writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupStatus {
    /// Desired number of group replicas: `spec.replicas`, for the scale subresource.
    #[serde(default)]
    pub replicas: i32,
    /// Group replicas whose PodCliques all have their minimum of pods bound to nodes.
    #[serde(default)]
    pub scheduled_replicas: i32,
    /// Group replicas whose PodCliques all have their minimum of pods bound to nodes and Ready (for
    /// `Training` also completed).
    #[serde(default)]
    pub available_replicas: i32,
    /// Available group replicas whose PodCliques and pods all have the newest template.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Surge replicas of the group that exist during an update, which no other count includes;
    /// absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surge_replicas: Option<i32>,
    /// Label selector of the group's pods, for autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Generation of the group's spec that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Writes that the API server refused, or the limit that is exceeded; empty if there are none.
    ///
    /// The operator repeats a refused write about once a minute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// `Ready`, `MinAvailableBreached`, `ScaledBelowMinAvailable`, `NameConflict`, `Stalled`.
    ///
    /// `MinAvailableBreached` is True while fewer group replicas are healthy than required. A group
    /// replica is unhealthy if one of its PodCliques is breached, or if it was terminated and has
    /// not been available since. The last three are present only while they are True.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// `status.currentGenerationHash` of the set, once all PodCliques of the group have the newest
    /// template. Keeps its value until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_clique_set_generation_hash: Option<String>,
    /// The running update of this group, or the last one; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PcsgUpdateProgress>,
    /// Attempt of the set's replica that this status describes. When the set terminates the whole
    /// replica, the group takes over its number and empties `replicaAttempts`. Absent counts as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_attempt: Option<i32>,
    /// Time since which too few group replicas are healthy; `terminationDelay` counts from here.
    ///
    /// Set when `MinAvailableBreached` becomes True. It stays while the condition is False for up
    /// to `min(terminationDelay, 60s)`, and moves by that interval when the breach returns. Never
    /// earlier than that of its longest-breached PodClique. If absent while the condition
    /// is True, its `lastTransitionTime` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_since: Option<Time>,
    /// How often single group replicas were terminated, and why.
    ///
    /// No entry means never. Emptied when the set terminates its whole replica; kept when the group
    /// is scaled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_attempts: Vec<ReplicaAttempt>,
    /// Group replicas that were scaled in and whose PodCliques still exist, e.g. `1-3,5`.
    ///
    /// Written before the operator deletes them. If the group is scaled out again before they are
    /// gone, PodCliques that are being deleted do not count as unhealthy. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_in_replicas: Option<String>,
}

/// The running or last update of a scaling group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgUpdateProgress {
    /// When the update of this group began: when its replica of the set got the turn.
    pub update_started_at: Time,
    /// When all its group replicas had the newest template and were available.
    ///
    /// Absent while the update runs. With `OnDelete` the same as the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Hash of the set's templates that the update leads to.
    pub pod_clique_set_generation_hash: String,
    /// PodCliques of the group whose pods all have the newest template.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// PodCliques in all replicas of the group.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// When a PodClique was last recreated or a group replica became available.
    ///
    /// `progressDeadline` counts from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_progress_time: Option<Time>,
    /// The most group replicas that were available at once since the turn began; `maxUnavailable`
    /// counts from here. Absent outside of the turn, and if no group replica had an older template
    /// in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<i32>,
    /// The index of the first surge group replica; it and the next `maxSurge - 1` indexes are
    /// surge. It follows `replicas` up. Absent without surge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surge_from: Option<i32>,
    /// Why this turn goes on without surge group replicas; absent while it may use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_surge: Option<String>,
    /// A pod that waits for a node, and since when. After 60 s the group counts as short of room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<WaitingPod>,
    /// Ready group replicas chosen to be recreated. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_replica_indices_selected_to_update: Option<ReplicasSelectedToUpdate>,
}

impl PcsgUpdateProgress {
    /// An update to this generation that begins at this time, without counts.
    pub fn begin(generation: String, at: Time) -> Self {
        Self {
            last_progress_time: Some(at.clone()),
            update_started_at: at,
            update_ended_at: None,
            pod_clique_set_generation_hash: generation,
            updated_pod_cliques_count: 0,
            total_pod_cliques_count: 0,
            reached: None,
            surge_from: None,
            without_surge: None,
            waiting_since: None,
            ready_replica_indices_selected_to_update: None,
        }
    }
}

/// Ready group replicas chosen to be recreated, one at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicasSelectedToUpdate {
    /// Index of the group replica being recreated. Not written by this operator.
    pub current: i32,
    /// Indices already recreated. Not written by this operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<i32>,
}
