//! `PodClique`: pods of one role.

use k8s_openapi::api::autoscaling::v2::MetricSpec;
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LastError, WorkloadType};

/// Pods of one role that share a template.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodClique",
    doc = "Pods of one role that share a template. Made by the operator.",
    namespaced,
    status = "PodCliqueStatus",
    shortname = "pclq",
    derive = "PartialEq",
    derive = "Default",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.hpaPodSelector"
    ),
    printcolumn(
        name = "MinAvail",
        type_ = "integer",
        json_path = ".spec.minAvailable",
        priority = 1
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.readyReplicas"),
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
        name = "Gated",
        type_ = "integer",
        json_path = ".status.scheduleGatedReplicas",
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
pub struct PodCliqueSpec {
    /// Name of the role.
    pub role_name: String,
    /// The pods.
    pub pod_spec: PodSpec,
    /// How many pods.
    pub replicas: i32,
    /// How many pods must be available together; the rest is optional. Default: `replicas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_available: Option<i32>,
    /// In a template: names of cliques; in a PodClique: names of PodCliques. These become ready
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts_after: Vec<String>,
    /// Autoscaling of this clique alone.
    #[serde(rename = "autoScalingConfig", skip_serializing_if = "Option::is_none")]
    pub auto_scaling_config: Option<AutoScalingConfig>,
    /// Set by the operator from the PodCliqueSet (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
}

/// A HorizontalPodAutoscaler to be made for a clique or a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoScalingConfig {
    /// Default: `replicas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// Upper limit.
    pub max_replicas: i32,
    /// Metrics of `autoscaling/v2`. Default: 80 % CPU, set by the API server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricSpec>,
}

/// What is known of a `PodClique`. No count includes terminating pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueStatus {
    /// Generation of the spec that the rest of this status speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What keeps this object from being reconciled; empty when nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// Pods that exist.
    #[serde(default)]
    pub replicas: i32,
    /// Pods that are Ready.
    #[serde(default)]
    pub ready_replicas: i32,
    /// Pods of the newest template.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Pods held back by a scheduling gate.
    #[serde(default)]
    pub schedule_gated_replicas: i32,
    /// Pods bound to a node.
    #[serde(default)]
    pub scheduled_replicas: i32,
    /// Selector of the pods, for autoscalers; standalone cliques only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hpa_pod_selector: Option<String>,
    /// `Ready`, `MinAvailableBreached`, `PodCliqueScheduled`, `ScaledBelowMinAvailable`, `Succeeded` (training).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Template generation of the set that all pods have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_clique_set_generation_hash: Option<String>,
    /// Pod template that all pods have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_template_hash: Option<String>,
    /// The running or last update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PclqUpdateProgress>,
    /// Whether `minAvailable` pods were ever ready at once. Never goes back (seed 000).
    #[serde(default)]
    pub was_available: bool,
    /// Since when too few pods are available, by which `terminationDelay` is measured. Set when
    /// `MinAvailableBreached` becomes True. A crash loop is one breach: the time outlives a False of
    /// up to `min(terminationDelay, 10m)` if the pods' containers go on terminating. Absent on a
    /// breached PodClique: the condition's `lastTransitionTime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_since: Option<Time>,
    /// Indices whose work is done, e.g. `0-3,5` (training).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_indices: Option<String>,
}

/// The running or last update of a clique.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PclqUpdateProgress {
    /// When the update began.
    pub update_started_at: Time,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Template generation of the set it leads to.
    pub pod_clique_set_generation_hash: String,
    /// Pod template it leads to.
    pub pod_template_hash: String,
    /// Ready pods chosen to be replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_pods_selected_to_update: Option<PodsSelectedToUpdate>,
}

/// Ready pods chosen to be replaced, one at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodsSelectedToUpdate {
    /// The pod whose turn it is.
    pub current: String,
    /// Pods already replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<String>,
}
