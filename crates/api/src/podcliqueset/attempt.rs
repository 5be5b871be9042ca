//! Terminations and restarts of replicas, as a status stores them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Terminations or restarts of one replica: number, time and cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaAttempt {
    /// Index of the replica (of the group replica, in a scaling group), counted from 0.
    pub replica: i32,
    /// How often the replica was terminated or restarted; 0: never.
    ///
    /// Its PodCliques carry the number in annotation `grove.io/attempt` (`grove.io/group-attempt`
    /// for a group replica). The operator deletes PodCliques with a lower number, and creates
    /// nothing in the replica while one of them exists.
    pub attempt: i32,
    /// When this attempt began: the last termination or restart.
    pub time: Time,
    /// Why this attempt began, in one word for programs.
    ///
    /// `MinAvailableBreached` (gang termination), `PodCliqueFailed` (restart of a job),
    /// `RestartRequested` (annotation `grove.io/restart-replica`), `AttemptAdopted` (the operator found
    /// PodCliques of a higher attempt), `Created` (a job's replica that never restarted).
    pub reason: String,
    /// The cause as a sentence: object, numbers, time.
    ///
    /// The 20 newest entries keep it; in older ones it is empty.
    pub message: String,
    /// The pod that the termination goes back to. Absent if no pod was known, in older entries (the 20
    /// newest keep it), and for `Training`, which has `lastFailures`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<TerminationCause>,
    /// PodCliques of this attempt that are done; `Training` only.
    ///
    /// They are not created again, even if they are deleted. A restart empties the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub succeeded: Vec<String>,
    /// Whether a terminated group replica has been available since.
    ///
    /// Scaling groups only. False from the termination on; true once all its PodCliques were
    /// available, or the group replica was scaled in. While false, the group replica counts as
    /// unhealthy. Absent counts as true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<bool>,
    /// Whether all PodCliques of this attempt have existed.
    ///
    /// False when the attempt begins. In a training job, a PodClique that is missing after that is
    /// a failure. Absent: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
}

impl ReplicaAttempt {
    /// Reason of an attempt that began with a breach: gang termination.
    pub const BREACHED: &str = "MinAvailableBreached";
    /// Reason of an attempt that began with a failed PodClique: the restart of a job.
    pub const PODCLIQUE_FAILED: &str = "PodCliqueFailed";
    /// Reason of an attempt that a user asked for.
    pub const REQUESTED: &str = "RestartRequested";
    /// Reason of an attempt that was raised to that of existing PodCliques.
    pub const ADOPTED: &str = "AttemptAdopted";
    /// Reason of the first attempt of a job's replica.
    pub const CREATED: &str = "Created";
}

/// The pod that a termination goes back to: the first one that was lost, or the one whose trouble kept
/// its replica down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminationCause {
    /// Name of the clique of the pod, as in the template of the set.
    pub clique: String,
    /// Name of the pod; by now the pod may be gone.
    pub pod: String,
    /// Node that the pod was on; absent if the pod had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Cause in one word: `OOMKilled`, `Error`, `CrashLoopBackOff`, `PreemptionByScheduler`,
    /// `EvictionByEvictionAPI`, `DeletionByTaintManager`, `DeletionByPodGC`, `NodeLost`, `Deleted` ...
    pub reason: String,
    /// Exit code of the container that ended; absent if no container ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The last words: the termination message of the container, or the message of the kubelet, the
    /// scheduler or the component that took the pod away.
    ///
    /// At most 1024 bytes, from the end, on one line without control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the pod failed or was taken away; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// Number of pods that a standalone clique had before its replica was terminated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveReplicas {
    /// Index of the set's replica, counted from 0.
    pub replica: i32,
    /// Name of the standalone clique in the template.
    pub clique: String,
    /// `spec.replicas` (pods) of its PodClique before the termination.
    pub replicas: i32,
    /// The template's `replicas` when that count was set.
    ///
    /// The operator writes it to annotation `grove.io/template-replicas` of the recreated
    /// PodClique, and so notices a later change of the template. Absent in entries of earlier
    /// versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<i32>,
}
