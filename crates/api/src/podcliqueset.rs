//! `PodCliqueSet`: the object that a user writes. The operator creates all others from it.

mod attempt;
mod scaling_group;
mod status;
mod suspension;
mod template;
mod training;
mod update;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::attempt::{LiveReplicas, ReplicaAttempt, TerminationCause};
pub use self::scaling_group::PodCliqueScalingGroupConfig;
pub use self::status::{
    PodCliqueSetPhase, PodCliqueSetStatus, PodGangSummary, PodGangSummaryPhase,
};
pub use self::suspension::Suspension;
pub use self::template::{
    CliqueStartupType, HeadlessServiceConfig, PodCliqueSetTemplateSpec, PodCliqueTemplateSpec,
};
pub use self::training::{PodFailure, TrainingSpec};
pub use self::update::{
    ComponentFrom, PcsUpdateProgress, ReplicaRevision, ReplicaUpdateProgress, RollingUpdate,
    UpdateStrategy, UpdateStrategyType, VacantIndexes,
};
use crate::WorkloadType;

/// The workload: a template, the number of its copies, and how the operator runs them.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodCliqueSet",
    doc = "A workload of pods that are scheduled, kept alive, updated and restarted together.",
    namespaced,
    status = "PodCliqueSetStatus",
    shortname = "pcs",
    category = "grove",
    selectable = ".spec.workloadType",
    selectable = ".status.phase",
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
    printcolumn(
        name = "Update",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"UpdateInProgress\")].reason",
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
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = 1
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
    /// How a changed pod template reaches running pods. Default: one replica after the other.
    ///
    /// Pods restart only for changes of a clique's pod template (labels, annotations, `podSpec`,
    /// `priorityClassName`). No effect for `Training`, whose template cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<UpdateStrategy>,
    /// The content of one replica: cliques, scaling groups, settings.
    pub template: PodCliqueSetTemplateSpec,
    /// `Inference` (serving, default) or `Training`. Cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
    /// Limits of a training job. Refused unless `workloadType` is `Training`.
    ///
    /// You may change it until the job is over; a change takes effect at once and restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_spec: Option<TrainingSpec>,
    /// While true, the operator deletes all unfinished pods and creates none. Default false.
    ///
    /// PodCliques, PodGangs, Services and scaled counts stay. Set to false again, every gang starts as a
    /// whole. `maxRuntime` stands still, no restart is counted. May be changed at any time; no effect
    /// once a job is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}
