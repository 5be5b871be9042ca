//! The status of a set.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LiveReplicas, PcsUpdateProgress, PodFailure, ReplicaAttempt, ReplicaRevision, Suspension,
};
use crate::LastError;

/// Status of the set. Only the operator writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetStatus {
    /// Generation of the newest spec that the operator applies.
    ///
    /// Absent while a changed spec is invalid or over a limit: the operator still applies the
    /// previous spec. In a set that never ran it is the refused generation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `UpdateInProgress`, `Stalled`, `Succeeded` and `Failed` (training),
    /// `Suspended`, `GangTerminationDisabled`, `NameConflict`, `LeftoverPods`.
    ///
    /// `Ready` is always present: while something does not run, its reason and message give the
    /// first cause. `UpdateInProgress` is always present too; the others only while they are True.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Problems that the user has to fix, and writes that the API server refused.
    ///
    /// Empty if there are none. Of the problems of the spec only the first 5 are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// Desired number of replicas: `spec.replicas`, for the scale subresource.
    #[serde(default)]
    pub replicas: i32,
    /// Available replicas in which everything has the newest pod template.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Replicas in which every part has its minimum.
    ///
    /// Every standalone clique has its minimum of Ready pods (for `Training`, completed pods count
    /// too), and every scaling group its minimum of group replicas whose cliques all have theirs.
    #[serde(default)]
    pub available_replicas: i32,
    /// Label selector of all pods of the set, for autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hpa_pod_selector: Option<String>,
    /// Not written by this operator: each PodGang has its own status.
    ///
    /// Declared for compatibility with the Go operator; a stored value stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pod_gang_statuses: Vec<PodGangSummary>,
    /// Hash of the newest accepted pod templates.
    ///
    /// An object that has these templates shows the hash in its
    /// `status.currentPodCliqueSetGenerationHash`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_generation_hash: Option<String>,
    /// Name of the ControllerRevision with the newest accepted pod templates.
    ///
    /// Absent for `Training`, and where the operator may not use ControllerRevisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision: Option<String>,
    /// Replicas that are not on the newest accepted templates, each with its own revision.
    ///
    /// A PodClique that has to be created there takes the templates of that revision. Absent
    /// outside of updates, and with `OnDelete`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_revisions: Vec<ReplicaRevision>,
    /// The running update, or the last one; absent if the templates never changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PcsUpdateProgress>,
    /// State of the workload: waiting, running or over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PodCliqueSetPhase>,
    /// Number of replica restarts so far; `Training` only.
    ///
    /// `trainingSpec.maxRestarts` limits it. Never lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_count: Option<i32>,
    /// Number of replica restarts that the cluster caused; only for `Training` with
    /// `ignoreDisruptions`.
    ///
    /// Not part of `restartCount`. Never lowered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disruption_restarts: Option<i32>,
    /// When the first app container started; `Training` only.
    ///
    /// Init containers do not count. Written once; restarts do not reset it. `maxRuntime` counts
    /// from it, without the time in which the set is suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// How often each replica was terminated or restarted, and why.
    ///
    /// No entry means never. Entries are never lowered or removed, not even when the set is scaled
    /// in. For `Training` every replica has an entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_attempts: Vec<ReplicaAttempt>,
    /// How long the set was suspended; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspension: Option<Suspension>,
    /// Pod counts of scaled cliques, to be restored after a termination.
    ///
    /// Written when a replica is terminated, for standalone cliques whose `replicas` were changed
    /// through `/scale`. Removed once the PodClique exists again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_replicas: Vec<LiveReplicas>,
    /// The 5 newest pod failures of a training job, newest first.
    ///
    /// Contains only pods that failed by themselves or that the cluster took away, not their peers
    /// that the operator deletes afterwards. Entries stay when the pods are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_failures: Vec<PodFailure>,
}

/// State of the workload: `Pending` (no pod runs), `Running`, and for `Training` `Succeeded` or
/// `Failed`.
///
/// The last two are final. `Failed` is reported once the last pod of the job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
pub enum PodCliqueSetPhase {
    /// No pod is running.
    Pending,
    /// A pod of at least one replica is running.
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
