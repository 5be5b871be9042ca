//! The decoded part of a pod's status.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;

/// The fields of a pod's status that rules read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodStatus {
    /// `Pending`, `Running`, `Succeeded`, `Failed`.
    pub phase: Option<String>,
    /// E.g. `Evicted`.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// When its kubelet took it.
    pub start_time: Option<Time>,
    /// Conditions.
    #[serde(default)]
    pub conditions: Vec<PodCondition>,
    /// Statuses of the app containers.
    #[serde(default)]
    pub container_statuses: Vec<ContainerStatus>,
    /// Statuses of the init containers.
    #[serde(default)]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// The disruption that an earlier version announced and a later one withdrew. Not part of the
    /// API: the cache keeps it ([`super::Pod::keep_disruption_of`]).
    #[serde(skip)]
    pub withdrawn_disruption: Option<Box<PodCondition>>,
}

/// A pod's condition.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// E.g. `Ready`.
    #[serde(rename = "type")]
    pub type_: String,
    /// `True`, `False`, `Unknown`.
    pub status: String,
    /// For programs.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// When the status last flipped.
    pub last_transition_time: Option<Time>,
}

/// Status of one container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerStatus {
    /// Name of the container.
    #[serde(default)]
    pub name: String,
    /// Whether its readiness probe passes.
    #[serde(default)]
    pub ready: bool,
    /// How often it was restarted.
    #[serde(default)]
    pub restart_count: i32,
    /// Its present state.
    #[serde(default)]
    pub state: ContainerState,
    /// How its last run ended.
    #[serde(default)]
    pub last_state: ContainerState,
}

/// The state of a container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ContainerState {
    /// It waits.
    pub waiting: Option<Waiting>,
    /// It runs.
    pub running: Option<Running>,
    /// It ended.
    pub terminated: Option<Terminated>,
}

/// Why a container waits.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Waiting {
    /// E.g. `CrashLoopBackOff`.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
}

/// The running state of a container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    /// When it started.
    pub started_at: Option<Time>,
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terminated {
    /// Exit code.
    #[serde(default)]
    pub exit_code: i32,
    /// E.g. `OOMKilled`.
    pub reason: Option<String>,
    /// The termination message.
    pub message: Option<String>,
    /// When it started.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
}
