//! `PodCliqueSet`: what a user writes; everything else is made from it.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duration::PATTERN;
use crate::podclique::{AutoScalingConfig, PodCliqueSpec};
use crate::resources::{
    PcsResourceSharing, PcsgResourceSharing, ResourceClaimTemplateConfig, ResourceSharing,
};
use crate::topology::TopologyConstraint;
use crate::{GoDuration, LastError, WorkloadType};

/// What is to run: copies of a template, and how they are looked after.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodCliqueSet",
    doc = "A workload of pods that are scheduled, kept alive, updated and restarted together.",
    namespaced,
    status = "PodCliqueSetStatus",
    shortname = "pcs",
    derive = "PartialEq",
    derive = "Default",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.hpaPodSelector"
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type_ = "integer",
        json_path = ".status.availableReplicas"
    ),
    printcolumn(
        name = "Updated",
        type_ = "integer",
        json_path = ".status.updatedReplicas",
        priority = 1
    ),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(
        name = "Restarts",
        type_ = "integer",
        json_path = ".status.restartCount"
    ),
    printcolumn(
        name = "Started",
        type_ = "date",
        json_path = ".status.startTime",
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
        name = "PCSGs-Updated",
        type_ = "integer",
        json_path = ".status.updateProgress.updatedPodCliqueScalingGroupsCount",
        priority = 1
    ),
    printcolumn(
        name = "PCSGs-Total",
        type_ = "integer",
        json_path = ".status.updateProgress.totalPodCliqueScalingGroupsCount",
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
pub struct PodCliqueSetSpec {
    /// How many copies (replicas) of `template` run. Default 0, at most 10,000.
    ///
    /// Scaling in deletes the replicas with the highest indices and their pods at once; scaling out
    /// restarts nothing. For `Training` it must be at least 1 and cannot be changed.
    #[serde(default)]
    pub replicas: i32,
    /// How a changed template would reach running pods. Not followed yet.
    ///
    /// Updates are not built: a changed pod template reaches only PodCliques that are created
    /// afterwards, and condition `FieldNotImplemented` names the change. Changing this field
    /// restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<UpdateStrategy>,
    /// What one replica consists of: cliques, scaling groups, settings.
    pub template: PodCliqueSetTemplateSpec,
    /// Serving (default) or training. Cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
    /// Limits of a job; refused without `workloadType: Training`.
    ///
    /// May be changed until the job is over; a change counts at once and restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_spec: Option<TrainingSpec>,
}

/// How a changed template reaches running pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// Default `RollingRecreate`. Neither value has an effect yet.
    ///
    /// Updates are not built. `OnDelete` is named in condition `FieldNotImplemented`.
    #[serde(rename = "type", default)]
    pub type_: UpdateStrategyType,
}

/// The ways an update can run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpdateStrategyType {
    /// One replica at a time is recreated from the new template.
    #[default]
    RollingRecreate,
    /// Pods take the new template when somebody deletes them.
    OnDelete,
}

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
}

/// What one replica of the set consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetTemplateSpec {
    /// The roles of the workload: 1 to 500, each name once.
    ///
    /// A clique that is added is created in every replica; one that is removed is deleted with its
    /// pods. For `Training` the list cannot be changed.
    pub cliques: Vec<PodCliqueTemplateSpec>,
    /// In which order the cliques of a gang start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "CliqueStartupTypeAnyOrder"))]
    pub clique_startup_type: Option<CliqueStartupType>,
    /// PriorityClass of all pods and PodGangs of the set; it must exist.
    ///
    /// If set, it wins over `podSpec.priorityClassName`. A change reaches PodGangs at once and pods
    /// that are created afterwards; running pods keep theirs. Cannot be changed for `Training`.
    /// Default: what each pod spec says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// The headless Service that each replica has for its pods' DNS names.
    ///
    /// A change is made to the Services at once and restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless_service_config: Option<HeadlessServiceConfig>,
    /// Where a replica has to be placed. Accepted, without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// How long fewer than `minAvailable` may be available before the gang is terminated, e.g.
    /// `4h`.
    ///
    /// A Go duration of at least `1s`; for `Training` also `0s`. Unset: never terminated, unless
    /// the operator's configuration names a default; for `Training` at once (`0s`). A change counts
    /// at once, also for a shortage that has begun; it restarts nothing by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_delay: Option<GoDuration>,
    /// Templates for `resourceSharing`. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_claim_templates: Vec<ResourceClaimTemplateConfig>,
    /// Claims shared by the set's pods. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field; pods do not get the claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsResourceSharing>,
    /// Cliques that are scaled together; at most 500 groups, each name once.
    ///
    /// A group that is added is created in every replica; one that is removed is deleted with its
    /// pods. For `Training` groups cannot be added, removed or renamed. Default: none.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        rename = "podCliqueScalingGroups"
    )]
    pub scaling_groups: Vec<PodCliqueScalingGroupConfig>,
}

/// One role of the workload: its pods share one template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueTemplateSpec {
    /// Name of the clique, a DNS label, unique in the set.
    ///
    /// Pods are named after it: the names of set, group and clique have at most 45 characters in
    /// all. A clique under another name is another clique: the old pods are deleted, new ones
    /// created.
    pub name: String,
    /// Labels of the clique's PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused. Part of the pod template: a change reaches
    /// only PodCliques that are created afterwards.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of its PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused, but for `grove.io/mnnvl-group` and
    /// `grove.io/topology-name`. Part of the pod template: a change reaches only PodCliques that
    /// are created afterwards.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Where its pods have to be placed. Accepted, without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Claims shared by its pods. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<ResourceSharing>,
    /// Pods of the clique: how many, how many are needed, template.
    pub spec: PodCliqueSpec,
}

/// In which order the cliques of a gang start: all at once (default), in the order of the list, or
/// by `startsAfter`.
///
/// Ordered start is not built: a set whose pods would need it creates nothing and says so
/// (`Ready=False/NotImplemented`). Do not change it later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CliqueStartupType {
    /// All at once.
    #[default]
    #[serde(rename = "CliqueStartupTypeAnyOrder")]
    AnyOrder,
    /// Each after the one before it in the list.
    #[serde(rename = "CliqueStartupTypeInOrder")]
    InOrder,
    /// As `startsAfter` says.
    #[serde(rename = "CliqueStartupTypeExplicit")]
    Explicit,
}

/// The headless Service of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlessServiceConfig {
    /// Whether pods have DNS names before they are Ready. Default true.
    ///
    /// A change is made to the Services at once and restarts nothing.
    #[serde(default = "yes")]
    pub publish_not_ready_addresses: bool,
}

impl Default for HeadlessServiceConfig {
    fn default() -> Self {
        Self {
            publish_not_ready_addresses: true,
        }
    }
}

fn yes() -> bool {
    true
}

/// Cliques scaled as one unit, such as a leader with its workers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupConfig {
    /// Name of the group, a DNS label, unique in the set.
    ///
    /// The names of set, group and clique have at most 45 characters in all. A group under another
    /// name is another group: the old one is deleted with its pods. Cannot be changed for
    /// `Training`.
    pub name: String,
    /// The cliques of one group replica: 1 to 500 names from `cliques`.
    ///
    /// A clique is in one group at most. One that is taken out is deleted in all group replicas and
    /// created as a clique of its own. Cannot be changed for `Training`.
    pub clique_names: Vec<String>,
    /// Annotations of the PodCliqueScalingGroups, not of their pods.
    ///
    /// At most 500; keys that begin with `grove.io/` are refused, but for `grove.io/mnnvl-group`
    /// and `grove.io/topology-name`. A change is copied at once and restarts nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// How many group replicas each replica of the set starts with. Default 1.
    ///
    /// 1 to 10,000. A change reaches the groups that nobody has scaled and that have no
    /// `scaleConfig`; the highest indices go first. Cannot be changed for `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub replicas: Option<i32>,
    /// How many group replicas are needed and start together. Default 1.
    ///
    /// From 1 to `replicas`. Further group replicas are optional and start once the first are
    /// ready. Fixed once the group exists: a change is reported (`Ready=False/InvalidSpec`) and not
    /// acted on; for `Training` it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// Autoscaling of the group. Accepted, no autoscaler is created yet.
    ///
    /// Condition `FieldNotImplemented` names it. While it is set, a changed `replicas` of the
    /// template does not reach groups that exist. Refused for `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_config: Option<AutoScalingConfig>,
    /// Claims shared within the group. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsgResourceSharing>,
    /// Where a group replica has to be placed. Without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Replaces the template's `terminationDelay` for this group.
    ///
    /// A Go duration such as `1h`, of at least `1s`; for `Training` also `0s`. For `Inference` it
    /// is refused unless the template has a delay. A change counts at once and restarts nothing by
    /// itself. Default: the template's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = PATTERN))]
    pub termination_delay: Option<GoDuration>,
}

/// What the operator reports of the set. Only the operator writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetStatus {
    /// Generation of the newest spec that was acted on.
    ///
    /// Stays behind `metadata.generation` while the spec is invalid or over a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `Failed` (training), `GangTerminationDisabled`, `FieldNotImplemented`,
    /// `NameConflict`.
    ///
    /// `Ready` is always there: its reason and message name the first cause of what does not run.
    /// The others are there only while they are True.
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
    /// Hash of the pod templates that were accepted first.
    ///
    /// It does not follow a changed template yet, since updates are not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_generation_hash: Option<String>,
    /// Not written by this operator: updates are not built.
    ///
    /// What the Go operator stored stays.
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
    /// Only of pods that nobody deleted. Kept when the pods are gone.
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

/// The running or last update of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsUpdateProgress {
    /// When the update began. Not written by this operator.
    pub update_started_at: Time,
    /// When the update ended. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Standalone PodCliques updated. Not written here.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// Standalone PodCliques in all. Not written here.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Scaling groups updated. Not written by this operator.
    #[serde(default)]
    pub updated_pod_clique_scaling_groups_count: i32,
    /// Scaling groups in all. Not written by this operator.
    #[serde(default)]
    pub total_pod_clique_scaling_groups_count: i32,
    /// The replica being updated. Not written by this operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub currently_updating: Vec<ReplicaUpdateProgress>,
}

/// Update of one replica. Not written by this operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUpdateProgress {
    /// Index of the replica. Not written by this operator.
    pub replica_index: i32,
    /// When its update began. Not written by this operator.
    pub update_started_at: Time,
    /// When its update ended. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
}

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

/// How one pod of a training job failed, and on which node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodFailure {
    /// Name of the pod that failed; it may be gone by now.
    pub pod: String,
    /// Node that the pod ran on; absent if it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Why, in one word: `OOMKilled`, `Error`, `Evicted` ...
    pub reason: String,
    /// Exit code of the first container that failed.
    ///
    /// Absent if none ended, as when a pod is evicted or its node is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the termination message, at most 1024 bytes.
    ///
    /// What the container wrote to its `terminationMessagePath`, else the message of the pod's
    /// status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When its last container ended, else when it failed.
    pub time: Time,
}
