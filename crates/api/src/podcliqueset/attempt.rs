//! Terminations and restarts of replicas, as a status stores them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Terminations or restarts of one replica: how often, when, why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaAttempt {
    /// Index of the replica (in a group: of the group replica), from 0.
    pub replica: i32,
    /// How often it was terminated or restarted; 0: never.
    ///
    /// Its PodCliques carry the number in annotation `grove.io/attempt` (`grove.io/group-attempt`
    /// for a group replica). Those of a lower one are deleted, and nothing is created in the
    /// replica while one exists.
    pub attempt: i32,
    /// When this attempt began: the last termination or restart.
    pub time: Time,
    /// Why this attempt began, in one word for programs.
    ///
    /// `MinAvailableBreached` (gang termination), `PodCliqueFailed` (restart of a job),
    /// `AttemptAdopted` (PodCliques of a higher attempt were found), `Created` (a job's replica,
    /// never restarted).
    pub reason: String,
    /// Why, in words: the object, the numbers, the time.
    ///
    /// Kept for the 20 newest entries, else empty.
    pub message: String,
    /// PodCliques of this attempt that are done; `Training` only.
    ///
    /// They are not created again, also if somebody deletes them. Empty again after a restart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub succeeded: Vec<String>,
    /// Whether a terminated group replica was available since.
    ///
    /// Scaling groups only: false from its termination on, true once all its PodCliques were
    /// available or it was scaled in. While it is false the group replica counts as unhealthy.
    /// Absent counts as true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<bool>,
    /// Whether all PodCliques of this attempt existed once.
    ///
    /// False when the attempt begins. In a training job one that is missing after that is a
    /// failure. Absent: not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
}

impl ReplicaAttempt {
    /// Reason of an attempt that a breach began: gang termination.
    pub const BREACHED: &str = "MinAvailableBreached";
    /// Reason of an attempt that a failed PodClique began: the restart of a job.
    pub const PODCLIQUE_FAILED: &str = "PodCliqueFailed";
    /// Reason of an attempt that follows PodCliques of a higher one.
    pub const ADOPTED: &str = "AttemptAdopted";
    /// Reason of the first attempt of a job's replica.
    pub const CREATED: &str = "Created";
}

/// Pods that a standalone clique had before its replica was terminated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveReplicas {
    /// Index of the set's replica, counted from 0.
    pub replica: i32,
    /// Name of the standalone clique in the template.
    pub clique: String,
    /// Its `spec.replicas` (pods) before the termination.
    pub replicas: i32,
    /// The template's `replicas` when that count was set.
    ///
    /// The recreated PodClique gets it in annotation `grove.io/template-replicas`, so that a later
    /// change of the template is noticed. Absent in entries of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<i32>,
}
