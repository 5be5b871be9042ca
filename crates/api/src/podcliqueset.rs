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

/// A workload of pods that are scheduled, kept alive, updated and restarted together.
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
    /// How many copies of the whole template run. Default 0.
    #[serde(default)]
    pub replicas: i32,
    /// How a changed template reaches running pods. Absent means `RollingRecreate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<UpdateStrategy>,
    /// What one copy consists of.
    pub template: PodCliqueSetTemplateSpec,
    /// Serving (default) or training. Cannot be changed (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
    /// Limits of a training job; only with `workloadType: Training` (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_spec: Option<TrainingSpec>,
}

/// How a changed template reaches running pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// Default `RollingRecreate`.
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
    /// Longest run time from `status.startTime` on, e.g. `72h`. Unset: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_runtime: Option<GoDuration>,
    /// How many replica restarts are allowed in all before the job fails. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_restarts: Option<i32>,
}

/// What one replica of the set consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetTemplateSpec {
    /// The roles of the workload; at least one.
    pub cliques: Vec<PodCliqueTemplateSpec>,
    /// In which order cliques start. Cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "CliqueStartupTypeAnyOrder"))]
    pub clique_startup_type: Option<CliqueStartupType>,
    /// Priority class of every gang of this set.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// How pods of a replica find each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless_service_config: Option<HeadlessServiceConfig>,
    /// Where one replica as a whole has to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// How long a breach of minAvailable is borne before the replica is terminated, e.g. `4h`; at
    /// least `1s`, or `0s` for Training. Unset: never, or at once for Training (seed 000, seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_delay: Option<GoDuration>,
    /// Templates of resource claims that `resourceSharing` entries may name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_claim_templates: Vec<ResourceClaimTemplateConfig>,
    /// Resource claims shared by all pods of the set or of one of its replicas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsResourceSharing>,
    /// Cliques that are scaled together.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        rename = "podCliqueScalingGroups"
    )]
    pub scaling_groups: Vec<PodCliqueScalingGroupConfig>,
}

/// One role of the workload: pods of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueTemplateSpec {
    /// Name of the clique, unique in the set.
    pub name: String,
    /// Labels of the PodClique and its pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the PodClique and its pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Where the pods of this clique have to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Resource claims shared by the pods of this clique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<ResourceSharing>,
    /// The pods.
    pub spec: PodCliqueSpec,
}

/// In which order the cliques of a gang start: at once (default), in the order of the list, or as
/// `startsAfter` says. Cannot be changed.
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
    /// Whether pods have DNS names before they are ready. Default true.
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

/// Cliques that are scaled together: one leader and its workers, say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupConfig {
    /// Name of the group, unique in the set.
    pub name: String,
    /// The cliques of one group replica; a clique is in one group at most.
    pub clique_names: Vec<String>,
    /// Annotations of the PodCliqueScalingGroup.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// How many copies of the group one PodCliqueSet replica starts with. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub replicas: Option<i32>,
    /// How many group replicas must be available together; the rest is optional. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// Autoscaling of the group as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_config: Option<AutoScalingConfig>,
    /// Resource claims shared within the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsgResourceSharing>,
    /// Where one group replica has to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Overrides the set's `terminationDelay` for this group (seed 000); at least `1s`, or `0s` for
    /// Training.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = PATTERN))]
    pub termination_delay: Option<GoDuration>,
}

/// What is known of a `PodCliqueSet`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetStatus {
    /// Generation of the spec that the rest of this status speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `Failed` (training), `TopologyLevelsUnavailable`, `SchedulingFeatureUnsupported`,
    /// `FieldNotImplemented`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What keeps this object from being reconciled; empty when nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// Replicas asked for, as seen by the scale subresource.
    #[serde(default)]
    pub replicas: i32,
    /// Replicas all of whose parts run the newest template and are available.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Replicas all of whose parts are available.
    #[serde(default)]
    pub available_replicas: i32,
    /// Selector of all pods of the set, for autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hpa_pod_selector: Option<String>,
    /// Declared by Grove; kept for compatibility.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pod_gang_statuses: Vec<PodGangSummary>,
    /// Hash of the newest template that was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_generation_hash: Option<String>,
    /// The running or last update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PcsUpdateProgress>,
    /// Where the workload is in its life (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PodCliqueSetPhase>,
    /// Replica restarts used so far (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_count: Option<i32>,
    /// When the first container of the workload started (seed 002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// How often each replica was torn down, with the cause. Entries are never lowered or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replica_attempts: Vec<ReplicaAttempt>,
    /// Replica counts that standalone cliques get back after a tear-down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_replicas: Vec<LiveReplicas>,
    /// The five newest failures of pods of a training job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_failures: Vec<PodFailure>,
}

/// Where a workload is in its life (seed 002).
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

/// Grove's summary of one gang.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGangSummary {
    /// Name of the PodGang.
    pub name: String,
    /// Its phase.
    pub phase: PodGangSummaryPhase,
    /// Its conditions.
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
    /// When the update began.
    pub update_started_at: Time,
    /// When it was done; unset while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Standalone PodCliques that run the newest template.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// Standalone PodCliques in all.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Scaling groups that run the newest template.
    #[serde(default)]
    pub updated_pod_clique_scaling_groups_count: i32,
    /// Scaling groups in all.
    #[serde(default)]
    pub total_pod_clique_scaling_groups_count: i32,
    /// The replica whose turn it is; at most one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub currently_updating: Vec<ReplicaUpdateProgress>,
}

/// The update of one replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUpdateProgress {
    /// Index of the replica.
    pub replica_index: i32,
    /// When its turn began.
    pub update_started_at: Time,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
}

/// The attempt fence of one replica: PodCliques of a lower attempt are deleted, and nothing is
/// created while one exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaAttempt {
    /// Index of the replica.
    pub replica: i32,
    /// How often it was torn down.
    pub attempt: i32,
    /// When it was last torn down.
    pub time: Time,
    /// PascalCase reason.
    pub reason: String,
    /// The cause as text: object, condition, numbers.
    pub message: String,
    /// Names of PodCliques of this attempt whose work is done (training).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub succeeded: Vec<String>,
    /// Whether a recycled group replica came back: false from its fence on, true for good once all
    /// its PodCliques were available, or once it was scaled in. Only of a scaling group; absent
    /// (stored before there was such a field) counts as true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<bool>,
}

/// The replica count that a standalone clique had before its replica was torn down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveReplicas {
    /// Index of the PodCliqueSet replica.
    pub replica: i32,
    /// Name of the clique in the template.
    pub clique: String,
    /// Its live `spec.replicas`.
    pub replicas: i32,
    /// The template's replicas that the live count was set beside (annotation
    /// `grove.io/template-replicas` of the PodClique). The recreated PodClique is stamped with it,
    /// so it is known what of a later template is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<i32>,
}

/// How a pod of a training job failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodFailure {
    /// Name of the pod.
    pub pod: String,
    /// Node it ran on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Reason of the container or pod, e.g. `OOMKilled`, `Evicted`.
    pub reason: String,
    /// Exit code, if a container ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Last 1024 bytes of the termination message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When.
    pub time: Time,
}
