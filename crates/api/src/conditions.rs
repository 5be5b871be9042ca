//! Condition types and reasons, and how a condition list is kept.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Types of conditions.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
pub enum ConditionType {
    /// PodClique, PodCliqueScalingGroup: fewer than `minAvailable` are available (docs/semantics.md §2.2).
    MinAvailableBreached,
    /// PodClique: at least `minAvailable` pods are bound to nodes (Grove).
    PodCliqueScheduled,
    /// PodClique, PodCliqueScalingGroup: `spec.replicas` was scaled below `minAvailable`.
    ScaledBelowMinAvailable,
    /// PodClique: all its work is done (docs/semantics.md §2.3). PodCliqueSet: the job is done.
    Succeeded,
    /// PodCliqueSet: the restart budget or the run time is used up (docs/semantics.md §5.5).
    Failed,
    /// PodCliqueSet: a topology constraint names a level that the cluster does not have (Grove).
    /// No rule sets it yet.
    TopologyLevelsUnavailable,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: a changed template is on its way to the pods
    /// (Grove, docs/semantics.md §14).
    UpdateInProgress,
    /// PodCliqueSet, PodGang: its scheduler cannot be told of it, or cannot honour a part of it.
    SchedulingFeatureUnsupported,
    /// PodCliqueScalingGroup: set by the Go operator while it terminates a group replica; removed
    /// here.
    GangTerminationInProgress,
    /// ClusterTopologyBinding: a scheduler's topology object has other levels (Grove). No rule sets
    /// it yet.
    SchedulerTopologyDrift,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: an object with another owner has the name of
    /// a child.
    NameConflict,
    /// PodCliqueSet: a stored `terminationDelay` is invalid, so it terminates nothing.
    GangTerminationDisabled,
    /// PodCliqueSet: fields that are accepted but have no effect yet, and a changed pod template.
    FieldNotImplemented,
    /// PodGang: the gang has started: its pods are listed, and the scheduler may place them.
    Initialized,
    /// PodGang: every part has its guaranteed pods bound to nodes.
    Scheduled,
    /// PodGang: every part has its guaranteed pods ready. PodCliqueSet, PodCliqueScalingGroup,
    /// PodClique: what has to run runs; where it does not, the message is the first cause.
    Ready,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: it is not Ready, and waiting does not help
    /// (docs/semantics.md §2.8).
    Stalled,
    /// PodGang: a listed pod is in phase Failed.
    Unhealthy,
    /// PodGang: a listed pod is about to be evicted or preempted.
    DisruptionTarget,
}

/// Reasons of conditions.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumIter,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[allow(missing_docs)]
pub enum Reason {
    // MinAvailableBreached of a PodClique
    SufficientReadyPods,
    InsufficientReadyPods,
    NeverAvailable,
    UpdateInProgress,
    RestartsInPlace,
    // MinAvailableBreached of a PodCliqueScalingGroup
    SufficientAvailablePodCliqueScalingGroupReplicas,
    InsufficientAvailablePodCliqueScalingGroupReplicas,
    // PodCliqueScheduled
    SufficientScheduledPods,
    InsufficientScheduledPods,
    // UpdateInProgress
    Progressing,
    ProgressDeadlineExceeded,
    NoActiveUpdate,
    // Succeeded of a PodClique; of a PodCliqueSet it is WorkloadSucceeded
    AllPodsCompleted,
    // Failed of a PodCliqueSet
    MaxRestartsExceeded,
    MaxRuntimeExceeded,
    // TopologyLevelsUnavailable
    AllClusterTopologyLevelsAvailable,
    ClusterTopologyLevelsUnavailable,
    ClusterTopologyNotFound,
    TopologyNameMissing,
    TopologyAwareSchedulingDisabled,
    // SchedulerTopologyDrift
    InSync,
    Drift,
    TopologyNotFound,
    // ScaledBelowMinAvailable
    ReplicasBelowMinAvailable,
    // NameConflict
    NameTaken,
    // GangTerminationDisabled
    InvalidTerminationDelay,
    // FieldNotImplemented
    AcceptedButIgnored,
    // Initialized
    PodGangPodsCreationPending,
    PodGangPodsCreated,
    // Scheduled, Ready, Unhealthy, DisruptionTarget of a PodGang
    GuaranteedPodsBound,
    GuaranteedPodsNotBound,
    GuaranteedPodsLost,
    GuaranteedPodsReady,
    PodsFailed,
    NoPodFailed,
    PodsDisrupted,
    NoPodDisrupted,
    SchedulerNotInstalled,
    QueueNotFound,
    FieldsNotServed,

    // Ready=True: everything runs, or what has to, or there is nothing to run, or it is done.
    AllReady,
    MinimumReady,
    Updating,
    ScaledToZero,
    WorkloadSucceeded,

    // Ready=False; `causes` has the order in which they are reported.
    InvalidSpec,
    LimitExceeded,
    QuotaExceeded,
    ServiceAccountMissing,
    PriorityClassMissing,
    RequestRefused,
    PodFailed,
    ImagePullFailed,
    ContainerConfigError,
    CrashLoop,
    VolumeUnavailable,
    NodeSelectorUnmatched,
    InsufficientResources,
    Unschedulable,
    ForeignSchedulingGate,
    ReplicaTerminating,
    PodTerminating,
    PodsBeingCreated,
    ContainersNotReady,
    PodsStarting,
    WaitingForScheduler,
    WaitingForStartOrder,
    GangIncomplete,
    BaseGangNotReady,
}

/// Status of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::IntoStaticStr)]
#[allow(missing_docs)]
pub enum Status {
    True,
    False,
    Unknown,
}

impl From<bool> for Status {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// What a rule says of a condition; the list decides what becomes of `lastTransitionTime`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionUpdate {
    /// Which condition.
    pub type_: ConditionType,
    /// Whether it holds.
    pub status: Status,
    /// Why, for programs.
    pub reason: Reason,
    /// Why, for people.
    pub message: String,
}

/// Puts the verdict into the list. `lastTransitionTime` moves only when the status flips.
pub fn set(
    conditions: &mut Vec<Condition>,
    verdict: ConditionUpdate,
    generation: Option<i64>,
    now: Timestamp,
) {
    let type_: &'static str = verdict.type_.into();
    let before = conditions.iter().find(|c| c.type_ == type_);
    let since = match before {
        Some(c) if c.status == verdict.status.to_string() => c.last_transition_time.clone(),
        _ => Time(now),
    };
    let condition = Condition {
        type_: type_.into(),
        status: verdict.status.to_string(),
        reason: verdict.reason.to_string(),
        message: verdict.message,
        observed_generation: generation,
        last_transition_time: since,
    };
    match conditions.iter_mut().find(|c| c.type_ == type_) {
        Some(slot) => *slot = condition,
        None => conditions.push(condition),
    }
}

/// Puts the verdict into the list, or takes the condition out of it where there is none.
pub fn set_or_remove(
    conditions: &mut Vec<Condition>,
    type_: ConditionType,
    verdict: Option<ConditionUpdate>,
    generation: Option<i64>,
    now: Timestamp,
) {
    match verdict {
        Some(verdict) => set(conditions, verdict, generation, now),
        None => remove(conditions, type_),
    }
}

/// Takes the condition out of the list.
pub fn remove(conditions: &mut Vec<Condition>, type_: ConditionType) {
    let type_: &'static str = type_.into();
    conditions.retain(|c| c.type_ != type_);
}

/// The condition of that type, if it is in the list.
pub fn find(conditions: &[Condition], type_: ConditionType) -> Option<&Condition> {
    let type_: &'static str = type_.into();
    conditions.iter().find(|c| c.type_ == type_)
}

/// Whether the condition is in the list with status True.
pub fn is_true(conditions: &[Condition], type_: ConditionType) -> bool {
    find(conditions, type_).is_some_and(|c| c.status == "True")
}
