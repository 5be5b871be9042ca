//! Types for training jobs only: limits in the spec, failures in the status.

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
    /// A Go duration greater than 0, counted from `status.startTime`, restarts included, the time in
    /// which the set is suspended excluded. When the time is over, the job fails with
    /// `MaxRuntimeExceeded` and its pods are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_runtime: Option<GoDuration>,
    /// How many replica restarts the job may use, over all replicas. Default 0.
    ///
    /// At least 0. A failure that needs another restart fails the job with `MaxRestartsExceeded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_restarts: Option<i32>,
    /// Whether `maxRestarts` ignores restarts that the cluster causes. Default false.
    ///
    /// Causes are drains, evictions by API or pressure, preemption, taints, and lost or restarted
    /// nodes. If true, `status.disruptionRestarts` counts these restarts instead of
    /// `status.restartCount`; only `maxRuntime` limits their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_disruptions: Option<bool>,
    /// How long the job is kept after its end, e.g. `1h`. Default: until somebody deletes it.
    ///
    /// A Go duration of at least 0, counted from the end that condition `Succeeded` or `Failed` shows,
    /// once no pod runs. Then the operator deletes the PodCliqueSet with all its objects. May be changed
    /// at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_after_finished: Option<GoDuration>,
}

/// How a pod of a training job failed, and on which node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodFailure {
    /// Name of the failed pod; the pod may be gone.
    pub pod: String,
    /// Uid of the pod, as a later pod may have its name. Absent in entries of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Node that the pod ran on; absent if it had no node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Cause in one word: `OOMKilled`, `Error`, `Evicted`, `DeletionByTaintManager` ...
    pub reason: String,
    /// Exit code of the first container that failed.
    ///
    /// Absent if no container ended by itself, for example when the pod was evicted or its node was
    /// lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The last 1024 bytes of the termination message.
    ///
    /// Read from the container's `terminationMessagePath`; if that is empty, the message of the
    /// pod's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When that container ended; without one, when the pod failed or its removal began.
    pub time: Time,
}
