//! `PodCliqueScalingGroup`: cliques that are scaled together.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::podcliqueset::ReplicaAttempt;
use crate::{LastError, WorkloadType};

/// Cliques that are scaled together within one replica of a `PodCliqueSet`.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodCliqueScalingGroup",
    doc = "Cliques that are scaled together within one replica of a PodCliqueSet. Made by the operator.",
    namespaced,
    status = "PodCliqueScalingGroupStatus",
    shortname = "pcsg",
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
    )
)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupSpec {
    /// How many copies of the group. Belongs to users and autoscalers after creation. Default 1.
    #[serde(default = "one")]
    pub replicas: i32,
    /// How many group replicas must be available together. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// The cliques of one group replica.
    pub clique_names: Vec<String>,
    /// Set by the operator from the PodCliqueSet (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
}

fn one() -> i32 {
    1
}

/// What is known of a `PodCliqueScalingGroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupStatus {
    /// Replicas asked for, as seen by the scale subresource.
    #[serde(default)]
    pub replicas: i32,
    /// Group replicas all of whose PodCliques have their minimum of pods bound to nodes.
    #[serde(default)]
    pub scheduled_replicas: i32,
    /// Group replicas all of whose PodCliques are scheduled and have their minimum of ready pods.
    #[serde(default)]
    pub available_replicas: i32,
    /// Available group replicas of the newest template.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Selector of the pods, for autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Generation of the spec that the rest of this status speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What keeps this object from being reconciled; empty when nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// `Ready`, `MinAvailableBreached`, `ScaledBelowMinAvailable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Template generation of the set that all PodCliques have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_clique_set_generation_hash: Option<String>,
    /// The running or last update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PcsgUpdateProgress>,
    /// The attempt of the PodCliqueSet replica that this status speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_attempt: Option<i32>,
    /// Since when too few group replicas are healthy, by which `terminationDelay` is measured. Set
    /// when `MinAvailableBreached` becomes True; it outlives a False of up to
    /// `min(terminationDelay, 10m)` while the breach of one of its PodCliques goes on. Absent on a
    /// breached group: the condition's `lastTransitionTime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_since: Option<Time>,
    /// How often each group replica was recycled, with the cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_attempts: Vec<ReplicaAttempt>,
}

/// The running or last update of a scaling group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgUpdateProgress {
    /// When the update began.
    pub update_started_at: Time,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Template generation of the set it leads to.
    pub pod_clique_set_generation_hash: String,
    /// PodCliques that run the newest template.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// PodCliques in all.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Ready group replicas chosen to be recreated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_replica_indices_selected_to_update: Option<ReplicasSelectedToUpdate>,
}

/// Ready group replicas chosen to be recreated, one at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicasSelectedToUpdate {
    /// The index whose turn it is.
    pub current: i32,
    /// Indices already recreated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<i32>,
}
