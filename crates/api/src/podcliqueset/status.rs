//! What the operator reports of a set.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LiveReplicas, PcsUpdateProgress, PodFailure, ReplicaAttempt};
use crate::LastError;

/// What the operator reports of the set. Only the operator writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetStatus {
    /// Generation of the newest spec that was acted on.
    ///
    /// Absent while a changed spec is invalid or over a limit: the one before is still acted on. Of a
    /// set that never ran it is the generation that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `UpdateInProgress`, `Stalled`, `Succeeded` and `Failed` (training),
    /// `GangTerminationDisabled`, `FieldNotImplemented`, `NameConflict`, `LeftoverPods`.
    ///
    /// `Ready` is always there: its reason and message name the first cause of what does not run.
    /// So is `UpdateInProgress`; the others are there only while they are True.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What the user has to fix, or what the API server refused.
    ///
    /// Empty if nothing is wrong. At most the first 5 problems of the spec are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// Replicas asked for: `spec.replicas`, for the scale subresource.
    #[serde(default)]
    pub replicas: i32,
    /// Available replicas that have the newest pod template throughout.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Replicas that have the minimum of Ready pods in every part.
    ///
    /// Every standalone clique has its minimum of Ready pods (for `Training` also completed ones),
    /// and every scaling group its minimum of group replicas that have.
    #[serde(default)]
    pub available_replicas: i32,
    /// Label selector of all pods of the set, for autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hpa_pod_selector: Option<String>,
    /// Not written here: each PodGang has a status of its own.
    ///
    /// Declared for compatibility with the Go operator; what that stored stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pod_gang_statuses: Vec<PodGangSummary>,
    /// Hash of the newest accepted pod templates.
    ///
    /// What has them says so in `currentPodCliqueSetGenerationHash` of its own status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_generation_hash: Option<String>,
    /// The running update, or the last one; absent if the templates never changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PcsUpdateProgress>,
    /// Where the workload is in its life: waiting, running or over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PodCliqueSetPhase>,
    /// Replica restarts used so far; for `Training` only.
    ///
    /// Compared with `trainingSpec.maxRestarts`. Never lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_count: Option<i32>,
    /// Replica restarts that the cluster caused; for `Training` with `ignoreDisruptions` only.
    ///
    /// Not part of `restartCount`. Never lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disruption_restarts: Option<i32>,
    /// When the first app container started; for `Training` only.
    ///
    /// Init containers do not count. Written once, not reset by restarts; `maxRuntime` counts from
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// How often each replica was terminated or restarted, and why.
    ///
    /// No entry means never. Entries are never lowered or removed, also not by scaling in. For
    /// `Training` every replica has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_attempts: Vec<ReplicaAttempt>,
    /// Scaled pod counts that cliques get back after a termination.
    ///
    /// Written when a replica is terminated, for standalone cliques whose `replicas` somebody
    /// changed by `/scale`; removed once the PodClique exists again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_replicas: Vec<LiveReplicas>,
    /// The 5 newest pod failures of a training job, newest first.
    ///
    /// Only of pods that failed by themselves or that the cluster took away, not of their peers that
    /// are deleted after them. Kept when the pods are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_failures: Vec<PodFailure>,
}

/// Life of the workload: `Pending` (no pod runs), `Running`, and for `Training` `Succeeded` or
/// `Failed`.
///
/// The last two are final. `Failed` is reported once the last pod of the job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
pub enum PodCliqueSetPhase {
    /// No pod is running.
    Pending,
    /// A pod of some replica is running.
    Running,
    /// All work is done. Terminal.
    Succeeded,
    /// The restart budget or the run time is used up. Terminal.
    Failed,
}

/// Summary of one gang. Not written by this operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGangSummary {
    /// Name of the PodGang. Not written by this operator.
    pub name: String,
    /// Phase of the PodGang. Not written by this operator.
    pub phase: PodGangSummaryPhase,
    /// Conditions of the PodGang. Not written by this operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// Phases of Grove's gang summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub enum PodGangSummaryPhase {
    Pending,
    Starting,
    Running,
    Failed,
    Succeeded,
}
