//! Condition types and reasons, and how a condition list is kept.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Types of conditions.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
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
    /// PodCliqueSet: pods of earlier attempts run on without a controller.
    LeftoverPods,
    /// PodCliqueSet: a stored `terminationDelay` is invalid, so it terminates nothing.
    GangTerminationDisabled,
    /// PodCliqueSet: it has fields that are accepted but have no effect yet.
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
pub enum Reason {
    // How each begins says where it stands: `Type=Status`, and of which kind if not of all.
    /// MinAvailableBreached=False of a PodClique: as many pods as needed are Ready.
    SufficientReadyPods,
    /// MinAvailableBreached=True of a PodClique: fewer pods than needed are Ready, after there were
    /// enough.
    InsufficientReadyPods,
    /// MinAvailableBreached=True of a PodClique of a job: a pod failed 5 times in a row; its replica
    /// is restarted at once, or the job is given up.
    PodKeepsFailing,
    /// MinAvailableBreached=False of a PodClique: there never were enough Ready pods; it starts.
    NeverAvailable,
    /// MinAvailableBreached=Unknown: too few are available, and an update runs.
    UpdateInProgress,
    /// MinAvailableBreached=Unknown of a PodClique: too few are available, and no set controls it:
    /// its pods are not replaced. It is judged anew when a set has adopted it.
    Orphaned,
    /// MinAvailableBreached=False of a PodClique: the kubelet restarts containers of a job in
    /// place.
    RestartsInPlace,
    /// MinAvailableBreached=False of a PodCliqueScalingGroup: as many group replicas as needed are
    /// healthy.
    SufficientAvailablePodCliqueScalingGroupReplicas,
    /// MinAvailableBreached=True of a PodCliqueScalingGroup: fewer group replicas than needed are
    /// healthy.
    InsufficientAvailablePodCliqueScalingGroupReplicas,
    /// PodCliqueScheduled=True: as many pods as needed have nodes.
    SufficientScheduledPods,
    /// PodCliqueScheduled=False: fewer pods than needed have nodes.
    InsufficientScheduledPods,
    /// UpdateInProgress=True: a changed template is on its way to the pods.
    Progressing,
    /// UpdateInProgress=Unknown: the update stood still for `progressDeadline`; it goes on.
    ProgressDeadlineExceeded,
    /// UpdateInProgress=False: no update of it runs.
    NoActiveUpdate,
    /// Succeeded=True of a PodClique of a job: all its pods have done their work.
    AllPodsCompleted,
    /// Failed=True, Ready=False: the job used up `trainingSpec.maxRestarts`.
    MaxRestartsExceeded,
    /// Failed=True, Ready=False: the job ran for `trainingSpec.maxRuntime`.
    MaxRuntimeExceeded,
    /// TopologyLevelsUnavailable=False: not set yet.
    AllClusterTopologyLevelsAvailable,
    /// TopologyLevelsUnavailable=True: not set yet.
    ClusterTopologyLevelsUnavailable,
    /// TopologyLevelsUnavailable=Unknown: not set yet.
    ClusterTopologyNotFound,
    /// TopologyLevelsUnavailable=Unknown: not set yet.
    TopologyNameMissing,
    /// TopologyLevelsUnavailable=Unknown: not set yet.
    TopologyAwareSchedulingDisabled,
    /// SchedulerTopologyDrift=False: not set yet.
    InSync,
    /// SchedulerTopologyDrift=True: not set yet.
    Drift,
    /// SchedulerTopologyDrift=Unknown: not set yet.
    TopologyNotFound,
    /// ScaledBelowMinAvailable=True: `spec.replicas` is below `minAvailable`, and counts as enough.
    ReplicasBelowMinAvailable,
    /// NameConflict=True, Ready=False: an object that has to be made exists and is somebody else's.
    NameTaken,
    /// LeftoverPods=True: the message names pods of earlier attempts that run on; somebody deleted
    /// their PodClique with `--cascade=orphan`.
    PodsLeftBehind,
    /// GangTerminationDisabled=True: a stored `terminationDelay` makes no sense.
    InvalidTerminationDelay,
    /// FieldNotImplemented=True: the message names fields that are accepted and have no effect yet.
    AcceptedButIgnored,
    /// Initialized=False: not all pods of the gang are created.
    PodGangPodsCreationPending,
    /// Initialized=True: all pods of the gang are created.
    PodGangPodsCreated,
    /// Scheduled=True: every part has its guaranteed pods on nodes.
    GuaranteedPodsBound,
    /// Scheduled=False: some guaranteed pods have no node yet.
    GuaranteedPodsNotBound,
    /// Scheduled=False: every part had its guaranteed pods on nodes, and some are gone.
    GuaranteedPodsLost,
    /// Ready=True of a PodGang: every part has its guaranteed pods Ready.
    GuaranteedPodsReady,
    /// Unhealthy=True: the message names pods that failed.
    PodsFailed,
    /// Unhealthy=False: no pod failed.
    NoPodFailed,
    /// DisruptionTarget=True: the message names pods that are about to be evicted.
    PodsDisrupted,
    /// DisruptionTarget=False: no pod is about to be evicted.
    NoPodDisrupted,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: the scheduler's API, by which
    /// it is told of gangs, is not there.
    SchedulerNotInstalled,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: the queue that the set names
    /// does not exist.
    QueueNotFound,
    /// SchedulingFeatureUnsupported=True: the scheduler's definitions are too old for what was
    /// written.
    FieldsNotServed,
    /// SchedulingFeatureUnsupported=True: a label or annotation for the scheduler has no effect, or a
    /// value that the scheduler does not know.
    KeyNotUsed,

    /// Ready=True: everything that is asked for runs.
    AllReady,
    /// Ready=True: what has to run runs; the message says what keeps the rest.
    MinimumReady,
    /// Ready=True of a PodCliqueSet: what has to run runs, and an update is on its way.
    Updating,
    /// Ready=True: nothing is asked for.
    ScaledToZero,
    /// Succeeded=True, Ready=True of a PodCliqueSet: the job is done.
    WorkloadSucceeded,

    // Causes; `causes` has the order in which they are reported.
    /// Ready=False of a PodCliqueSet: the spec cannot be acted on; what runs goes on.
    InvalidSpec,
    /// Ready=False: it is larger than one set may be; what runs goes on.
    LimitExceeded,
    /// Ready=False: a ResourceQuota refuses pods.
    QuotaExceeded,
    /// Ready=False: the ServiceAccount that the template names does not exist.
    ServiceAccountMissing,
    /// Ready=False: the pods' PriorityClass does not exist.
    PriorityClassMissing,
    /// Ready=False: the API server refuses to create something.
    RequestRefused,
    /// Ready=False: a pod ended, was evicted, or its node was lost.
    PodFailed,
    /// Ready=False: a container's image cannot be pulled.
    ImagePullFailed,
    /// Ready=False: a container cannot be made, for lack of a ConfigMap or Secret, for example, or
    /// as its image would run as root.
    ContainerConfigError,
    /// Ready=False: a container ends again and again, whatever its exit code, or never starts.
    CrashLoop,
    /// Ready=False: a PersistentVolumeClaim does not exist, is not bound, or its volume is
    /// elsewhere.
    VolumeUnavailable,
    /// Ready=False: no node has what nodeSelector or affinity asks for.
    NodeSelectorUnmatched,
    /// Ready=False: nodes would do, but too much on them is taken.
    InsufficientResources,
    /// Ready=False: the scheduler finds no node for another reason, such as taints.
    Unschedulable,
    /// Ready=False: a scheduling gate that is not the operator's holds a pod.
    ForeignSchedulingGate,
    /// Ready=False of a PodCliqueSet: it is being deleted, and its pods have their time to end.
    Terminating,
    /// Ready=False: the replica was terminated and is recreated once the rest of it is gone.
    ReplicaTerminating,
    /// Ready=False: a pod's place is taken until it is gone.
    PodTerminating,
    /// Ready=False: objects are being created.
    PodsBeingCreated,
    /// Ready=False: all containers of a pod are ready and the pod is not: its node is lost, or a
    /// readiness gate is closed.
    PodNotReady,
    /// Ready=False: a container runs and its readiness probe fails.
    ContainersNotReady,
    /// Ready=False: pods are on their nodes and start.
    PodsStarting,
    /// Ready=False: no scheduler has looked at a pod.
    WaitingForScheduler,
    /// Ready=False: pods start after others that are not Ready yet, or their kubelets have not shown them
    /// yet that they may.
    WaitingForStartOrder,
    /// Ready=False: pods wait until all pods of their gang exist.
    GangIncomplete,
    /// Ready=False: pods beyond `minAvailable` wait for the base gang.
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

/// Whether the condition tells of something that somebody has to mend.
pub fn has_blocking_reason(condition: &Condition) -> bool {
    condition.reason.parse().is_ok_and(Reason::is_blocking)
}

/// Whether the condition is in the list with status True.
pub fn is_true(conditions: &[Condition], type_: ConditionType) -> bool {
    find(conditions, type_).is_some_and(|c| c.status == "True")
}
