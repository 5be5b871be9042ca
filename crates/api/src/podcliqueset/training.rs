//! What only training jobs have: limits in the spec, failures in the status.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GoDuration;

/// Limits of a training job (seed 002).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrainingSpec {
    /// Longest run time of the job, e.g. `72h`. Default: no limit.
    ///
    /// A Go duration greater than 0, counted from `status.startTime`, restarts included. When it is
    /// over the job fails with `MaxRuntimeExceeded` and its pods are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_runtime: Option<GoDuration>,
    /// Replica restarts allowed, of all replicas together. Default 0.
    ///
    /// At least 0. When a failure needs more than are left the job fails with
    /// `MaxRestartsExceeded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_restarts: Option<i32>,
    /// Whether restarts that the cluster causes leave `maxRestarts` alone. Default false.
    ///
    /// A drain, an eviction by the API or under pressure, preemption, a taint, a lost or restarted
    /// node: `status.disruptionRestarts` counts them then instead of `status.restartCount`. Their
    /// number has no limit but `maxRuntime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_disruptions: Option<bool>,
}

/// How one pod of a training job failed, and on which node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodFailure {
    /// Name of the pod that failed; it may be gone by now.
    pub pod: String,
    /// Uid of the pod, since names come back; absent in entries of versions before this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Node that the pod ran on; absent if it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Why, in one word: `OOMKilled`, `Error`, `Evicted`, `DeletionByTaintManager` ...
    pub reason: String,
    /// Exit code of the first container that failed.
    ///
    /// Absent if none ended by itself, as when a pod is evicted or its node is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the termination message, at most 1024 bytes.
    ///
    /// What the container wrote to its `terminationMessagePath`, else the message of the pod's
    /// status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When that container ended, else when the pod failed or began to be taken away.
    pub time: Time,
}
