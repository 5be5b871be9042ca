//! `PodGang`: pods that a scheduler has to place together.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Pods that a scheduler has to place together.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "scheduler.grove.io",
    version = "v1alpha1",
    kind = "PodGang",
    doc = "Pods that a scheduler has to place together. Made by the operator.",
    namespaced,
    status = "PodGangStatus",
    shortname = "pg",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(
        name = "Scheduling",
        type_ = "string",
        json_path = ".status.schedulingPhase"
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
pub struct PodGangSpec {
    /// The parts of the gang, one per PodClique.
    #[serde(rename = "podgroups")]
    pub pod_groups: Vec<PodGroup>,
    /// Where the gang as a whole has to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
    /// Where parts of the gang have to be placed together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_constraint_group_configs: Vec<TopologyConstraintGroupConfig>,
    /// Priority class of the gang.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// Declared by Grove; kept for compatibility.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reuse_reservation_ref: Option<NamespacedName>,
}

/// One part of a gang: the pods of one PodClique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGroup {
    /// Name of the PodClique.
    pub name: String,
    /// Its pods by index; the first `minReplicas` are the guaranteed ones (seed 004).
    pub pod_references: Vec<NamespacedName>,
    /// How many pods have to be placed together.
    pub min_replicas: i32,
    /// Where the pods have to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
}

/// Names an object.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct NamespacedName {
    /// Namespace of the object.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
}

/// Parts of a gang that have to be placed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyConstraintGroupConfig {
    /// Name of the constraint: `<scaling group>-<replica>`.
    pub name: String,
    /// Names of the parts.
    pub pod_group_names: Vec<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
}

/// A topology constraint in node label keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GangTopologyConstraint {
    /// What to pack into one domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_constraint: Option<PackConstraint>,
}

/// Node label keys whose value the pods have to, or should, share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackConstraint {
    /// Must be shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// Should be shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred: Option<String>,
}

/// What is known of a `PodGang`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGangStatus {
    /// Where the gang is in its life.
    #[serde(deserialize_with = "known_phase")]
    pub phase: PodGangPhase,
    /// Where the gang is in scheduling; unset until all its pods may be scheduled (seed 004).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_phase: Option<SchedulingPhase>,
    /// `Initialized`, `Scheduled`, `Ready`, `Unhealthy`, `DisruptionTarget`,
    /// `SchedulingFeatureUnsupported`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// How close together the pods are placed: 1 is the best this cluster can do, 0 the worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement_score: Option<f64>,
}

/// The definition allows any text, as Grove's does. The phase is ours to write: one that we do not
/// know is as good as none, and no reason to lose sight of the object.
fn known_phase<'de, D: Deserializer<'de>>(text: D) -> Result<PodGangPhase, D::Error> {
    Ok(match String::deserialize(text)?.as_str() {
        "Running" => PodGangPhase::Running,
        "Starting" => PodGangPhase::Starting,
        _ => PodGangPhase::Pending,
    })
}

/// Grove's phases of a gang.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display,
)]
pub enum PodGangPhase {
    /// No guaranteed pod is bound yet.
    #[default]
    Pending,
    /// Some guaranteed pods are bound.
    Starting,
    /// Every part has its guaranteed pods running.
    Running,
}

/// Where the gang is in scheduling; unset until all its pods may be scheduled (seed 004).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
pub enum SchedulingPhase {
    /// All pods exist and may be scheduled.
    Pending,
    /// Some pods are bound.
    Binding,
    /// All guaranteed pods are bound.
    Scheduled,
}
