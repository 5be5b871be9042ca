//! Types and reasons of conditions, and changes of a list of conditions.

mod list;

pub use self::list::{find, has_blocking_reason, is_true, remove, set, set_or_remove};

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
    /// PodCliqueSet: its pods are deleted, as `spec.suspend` is true, or they were (docs/semantics.md §15).
    /// Absent in a set that never was suspended.
    Suspended,
    /// PodCliqueSet: a topology constraint names a level that its ClusterTopologyBinding does not
    /// have (Grove).
    TopologyLevelsUnavailable,
    /// PodGang: pods that have to share a topology domain run in several. They were placed before
    /// the operator watched over them, or nodes got other labels; nothing is moved.
    TopologyConstraintViolated,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: a changed template is being applied to the
    /// pods (Grove, docs/semantics.md §14).
    UpdateInProgress,
    /// PodCliqueSet, PodGang: its scheduler cannot receive it as a gang, or cannot honour a part of
    /// it.
    SchedulingFeatureUnsupported,
    /// PodCliqueScalingGroup: set by the Go operator while it terminates a group replica. This
    /// operator removes it.
    GangTerminationInProgress,
    /// ClusterTopologyBinding: a scheduler's topology object has other levels, or there is none
    /// (Grove).
    SchedulerTopologyDrift,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: an object with another owner has the name of
    /// a child.
    NameConflict,
    /// PodCliqueSet: pods of earlier attempts still run, without a controller.
    LeftoverPods,
    /// PodCliqueSet: a stored `terminationDelay` is invalid, so no gang is terminated.
    GangTerminationDisabled,
    /// PodGang: the gang has started: its pods are listed, and the scheduler may place them.
    Initialized,
    /// PodGang: every part has its guaranteed pods bound to nodes.
    Scheduled,
    /// PodGang: every part has its guaranteed pods ready. PodCliqueSet, PodCliqueScalingGroup,
    /// PodClique: the required minimum runs; otherwise the message gives the first cause.
    Ready,
    /// PodCliqueSet, PodCliqueScalingGroup, PodClique: it is not Ready, and waiting does not help
    /// (docs/semantics.md §2.8).
    Stalled,
    /// PodGang: quota is reserved for it, so its pods may start. Only if its set names a queue of Kueue;
    /// absent in a gang that ran before its set named one, as it runs on outside the quota.
    QuotaReserved,
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
    // The comment of each reason begins with its places: `Type=Status`, then the kind if it is not
    // used on all kinds.
    /// MinAvailableBreached=False of a PodClique: enough pods are Ready.
    SufficientReadyPods,
    /// MinAvailableBreached=True of a PodClique: fewer pods are Ready than required, after enough
    /// were.
    InsufficientReadyPods,
    /// MinAvailableBreached=True of a PodClique of a job: a pod failed 5 times in a row; the
    /// operator restarts its replica at once, or the job fails.
    PodKeepsFailing,
    /// MinAvailableBreached=False of a PodClique: it is starting; enough pods were never Ready.
    NeverAvailable,
    /// MinAvailableBreached=Unknown: too few are available while an update runs.
    UpdateInProgress,
    /// MinAvailableBreached=Unknown of a PodClique: too few are available, and no set controls it,
    /// so its pods are not replaced. The condition is computed again once a set has adopted it.
    Orphaned,
    /// MinAvailableBreached=False of a PodClique: the kubelet restarts containers of a job in
    /// place.
    RestartsInPlace,
    /// MinAvailableBreached=False of a PodCliqueScalingGroup: enough group replicas are healthy.
    SufficientAvailablePodCliqueScalingGroupReplicas,
    /// MinAvailableBreached=True of a PodCliqueScalingGroup: fewer group replicas are healthy than
    /// required.
    InsufficientAvailablePodCliqueScalingGroupReplicas,
    /// PodCliqueScheduled=True: enough pods have nodes.
    SufficientScheduledPods,
    /// PodCliqueScheduled=False: fewer pods have nodes than required.
    InsufficientScheduledPods,
    /// UpdateInProgress=True: a changed template is being applied to the pods.
    Progressing,
    /// UpdateInProgress=Unknown: the update made no progress for `progressDeadline`; it continues.
    ProgressDeadlineExceeded,
    /// UpdateInProgress=Unknown of a PodCliqueSet: pods of the replica in turn that have to run find
    /// no node, and no gang termination ends that; the update continues once they do.
    NoRoom,
    /// UpdateInProgress=Unknown of a PodCliqueSet: replicas that ran during the update have been down
    /// for ten minutes, so no replica has the turn; the update continues once they are available.
    ReplicasAway,
    /// UpdateInProgress=Unknown of a PodCliqueSet: the update made no progress for ten minutes, and the
    /// cliques and groups of the replica in turn that are not done have no `progressDeadline`; it
    /// continues.
    NoProgress,
    /// UpdateInProgress=False: no update runs.
    NoActiveUpdate,
    /// UpdateInProgress=False: `updateStrategy.paused` is true, and replicas or PodCliques have an
    /// older template.
    Paused,
    /// UpdateInProgress=False of a PodCliqueSet: everything with an older template is below a
    /// partition, that of the set or of a clique or group.
    Partitioned,
    /// UpdateInProgress=False of a PodCliqueSet: the API server refuses pods of the newest template;
    /// nothing was changed.
    TemplateRefused,
    /// UpdateInProgress=False of a PodCliqueSet: the API server has not answered yet whether it
    /// accepts pods of the newest template.
    TemplateUnchecked,
    /// Succeeded=True of a PodClique of a job: all its pods have done their work.
    AllPodsCompleted,
    /// Failed=True, Ready=False: the job has used all restarts of `trainingSpec.maxRestarts`.
    MaxRestartsExceeded,
    /// Failed=True, Ready=False: the job ran for `trainingSpec.maxRuntime`.
    MaxRuntimeExceeded,
    /// Suspended=True: `spec.suspend` is true, or the last pods of the suspension have not ended.
    SuspendRequested,
    /// Suspended=False: the set was suspended, and was resumed.
    Resumed,
    /// TopologyLevelsUnavailable=False: the ClusterTopologyBinding has all levels that the set
    /// names, or it names none.
    AllClusterTopologyLevelsAvailable,
    /// TopologyLevelsUnavailable=True: the ClusterTopologyBinding lacks levels that the set names.
    ClusterTopologyLevelsUnavailable,
    /// TopologyLevelsUnavailable=Unknown: the ClusterTopologyBinding does not exist.
    ClusterTopologyNotFound,
    /// TopologyLevelsUnavailable=Unknown: no constraint names a ClusterTopologyBinding.
    TopologyNameMissing,
    /// TopologyLevelsUnavailable=Unknown: the operator's configuration disables topology
    /// constraints.
    TopologyAwareSchedulingDisabled,
    /// TopologyConstraintViolated=True: the message names the domains.
    SeveralDomains,
    /// SchedulerTopologyDrift=False: the topology objects of all schedulers have the same levels.
    InSync,
    /// SchedulerTopologyDrift=True: the message names the schedulers whose topology object is missing,
    /// has other levels, or belongs to somebody else.
    Drift,
    /// SchedulerTopologyDrift=Unknown: `schedulerTopologyBindings` names a scheduler that the operator
    /// has no profile for, or that has no topology objects.
    TopologyNotFound,
    /// ScaledBelowMinAvailable=True: `spec.replicas` is below `minAvailable`; that many replicas
    /// count as enough.
    ReplicasBelowMinAvailable,
    /// NameConflict=True, Ready=False: another owner has an object with the name of an object that
    /// the operator has to create.
    NameTaken,
    /// LeftoverPods=True: the message names pods of earlier attempts that still run, because their
    /// PodClique was deleted with `--cascade=orphan`.
    PodsLeftBehind,
    /// GangTerminationDisabled=True: a stored `terminationDelay` is invalid.
    InvalidTerminationDelay,
    /// QuotaReserved=True: the message names the ClusterQueue.
    QuotaReserved,
    /// Initialized=False: not all pods of the gang are created.
    PodGangPodsCreationPending,
    /// Initialized=True: all pods of the gang are created.
    PodGangPodsCreated,
    /// Scheduled=True: every part has its guaranteed pods on nodes.
    GuaranteedPodsBound,
    /// Scheduled=False: some guaranteed pods have no node yet.
    GuaranteedPodsNotBound,
    /// Scheduled=False: every part had its guaranteed pods on nodes, and some of these pods are
    /// gone.
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
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: the cluster does not serve
    /// the API through which the scheduler receives gangs.
    SchedulerNotInstalled,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: the queue that the set names
    /// does not exist, or the profile of its scheduler requires one and it names none.
    QueueNotFound,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: a topology constraint names
    /// a level or a topology that does not exist, or its scheduler cannot honour the constraint.
    TopologyUnavailable,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: it has MNNVL groups, and the
    /// cluster does not serve ComputeDomains.
    ComputeDomainsMissing,
    /// SchedulingFeatureUnsupported=True, Ready=False of a PodCliqueSet: the scheduler's PodGroups
    /// refuse the value of the set's `PriorityClass`.
    PriorityTooHigh,
    /// SchedulingFeatureUnsupported=True: the scheduler's definitions are too old for some of the
    /// written fields.
    FieldsNotServed,
    /// SchedulingFeatureUnsupported=True of a PodCliqueSet: the operator may not read nodes, so pods
    /// that join later are not kept in the topology domain of the others.
    NodesNotReadable,
    /// SchedulingFeatureUnsupported=True of a PodCliqueSet: it has MNNVL groups, and the operator's
    /// configuration disables them.
    ComputeDomainsOff,
    /// SchedulingFeatureUnsupported=True of a PodGang: its pods use resource claims, for which Kueue
    /// reserves no quota.
    QuotaIgnoresClaims,
    /// SchedulingFeatureUnsupported=True: a label or annotation for the scheduler has no effect, or
    /// its value is unknown to the scheduler.
    KeyNotUsed,

    /// Ready=True: all replicas run.
    AllReady,
    /// Ready=True: the required minimum runs; the message gives the cause that holds the rest back.
    MinimumReady,
    /// Ready=True of a PodCliqueSet: the required minimum runs, and an update is in progress.
    Updating,
    /// Ready=True of a PodCliqueSet: the required minimum runs, and the API server refuses pods of
    /// the newest template, so the update does not begin.
    UpdateRefused,
    /// Ready=True of a PodCliqueSet: the required minimum runs, and its update makes no progress.
    UpdateStalled,
    /// Ready=True of a PodCliqueSet: the required minimum runs, and its update is paused.
    UpdatePaused,
    /// Ready=True of a PodCliqueSet: the required minimum runs, and a partition keeps the older
    /// templates of the rest.
    UpdatePartitioned,
    /// Ready=True: everything is scaled to zero.
    ScaledToZero,
    /// Succeeded=True, Ready=True of a PodCliqueSet: the job is done.
    WorkloadSucceeded,

    // Causes. `causes` defines the order in which they are reported.
    /// Ready=False of a PodCliqueSet: the spec is invalid; the running pods stay.
    InvalidSpec,
    /// Ready=False: it exceeds the limits of one set; the running pods stay.
    LimitExceeded,
    /// Ready=False: a ResourceQuota refuses pods.
    QuotaExceeded,
    /// Ready=False: the ServiceAccount named in the template does not exist.
    ServiceAccountMissing,
    /// Ready=False: the pods' PriorityClass does not exist.
    PriorityClassMissing,
    /// Ready=False: the API server refuses to create an object.
    RequestRefused,
    /// Ready=False: a resource claim that pods share, or the template of their ComputeDomain, does not
    /// exist yet, and its pods wait for it.
    ClaimMissing,
    /// Ready=False: 256 pods use a resource claim, which is as many as Kubernetes allows.
    ClaimFull,
    /// Ready=False: a pod ended, was evicted, or its node was lost.
    PodFailed,
    /// Ready=False: a container's image cannot be pulled.
    ImagePullFailed,
    /// Ready=False: a container cannot be created, for example because a ConfigMap or Secret is
    /// missing or because its image would run as root.
    ContainerConfigError,
    /// Ready=False: a container ends again and again, with any exit code, or never starts.
    CrashLoop,
    /// Ready=False: a PersistentVolumeClaim is missing or not bound, or its volume is elsewhere.
    VolumeUnavailable,
    /// Ready=False: the pods have to share a topology domain, and no domain has room for them.
    TopologyNoDomain,
    /// Ready=False: no node matches nodeSelector or affinity.
    NodeSelectorUnmatched,
    /// Ready=False: suitable nodes exist, but have too few free resources.
    InsufficientResources,
    /// Ready=False: no node has free devices for the resource claims of a pod.
    DevicesUnavailable,
    /// Ready=False: the scheduler finds no node for another reason, such as taints.
    Unschedulable,
    /// Ready=False: a scheduling gate of another controller holds a pod.
    ForeignSchedulingGate,
    /// MinAvailableBreached=False, Ready=False: the PodCliqueSet is suspended; its pods are deleted until
    /// it is resumed.
    Suspended,
    /// MinAvailableBreached=False, QuotaReserved=False, Ready=False: the gang lost its quota; its pods
    /// end, and it waits in its queue.
    QuotaEvicted,
    /// QuotaReserved=False, Ready=False: the gang waits in its queue until its quota is reserved.
    WaitingForQuota,
    /// Ready=False of a PodCliqueSet: it is being deleted, and its pods are within their grace
    /// period.
    Terminating,
    /// Ready=False: the operator terminated the replica and recreates it once its last objects are
    /// gone.
    ReplicaTerminating,
    /// Ready=False: a pod is being deleted; its replacement is created once it is gone.
    PodTerminating,
    /// Ready=False: objects are being created.
    PodsBeingCreated,
    /// Ready=False: all containers of a pod are ready and the pod is not: its node is lost, or a
    /// readiness gate is not passed.
    PodNotReady,
    /// Ready=False: a container runs but fails its readiness probe.
    ContainersNotReady,
    /// Ready=False: pods have nodes and are starting.
    PodsStarting,
    /// Ready=False: no scheduler has handled a pod.
    WaitingForScheduler,
    /// Ready=False: pods wait for earlier pods in the start order, or for their kubelets to deliver
    /// the start signal.
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

/// The result of a rule for one condition. [`set`] decides about `lastTransitionTime`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionUpdate {
    /// Type of the condition.
    pub type_: ConditionType,
    /// Whether the condition holds.
    pub status: Status,
    /// The cause, for programs.
    pub reason: Reason,
    /// The cause, for people.
    pub message: String,
}
