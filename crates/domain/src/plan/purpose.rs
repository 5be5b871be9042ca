//! The purpose of a write. Its words in the log, and its code in `status.lastErrors`, are defined
//! only here.

/// Why something is deleted or patched.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
pub enum Purpose {
    /// A set takes its children along.
    #[strum(serialize = "PodCliqueSet is deleted")]
    DeleteWithSet,
    /// A scaling group takes its PodCliques along.
    #[strum(serialize = "scaling group is deleted")]
    DeleteWithScalingGroup,
    /// A PodClique takes its pods along.
    #[strum(serialize = "PodClique is deleted")]
    DeleteWithPodClique,
    /// A replica of the set is scaled in.
    #[strum(serialize = "replica scaled in")]
    ScaleInReplica,
    /// A replica of a scaling group is scaled in.
    #[strum(serialize = "group replica scaled in")]
    ScaleInGroupReplica,
    /// A PodGang whose group replica is scaled in.
    #[strum(serialize = "gang scaled in")]
    ScaleInGang,
    /// An autoscaler whose configuration was removed from the template.
    #[strum(serialize = "autoscaling is not configured")]
    RemoveAutoscaler,
    /// A ControllerRevision that nothing was created from, or that belongs to an earlier set of the
    /// name.
    #[strum(serialize = "nothing has its templates any more")]
    RemoveRevision,
    /// A ResourceClaim of a replica that is scaled in, or whose pods use another one.
    #[strum(serialize = "no pod uses it any more")]
    RemoveClaim,
    /// The finalizer of a ComputeDomain that goes.
    #[strum(serialize = "no pod names its template any more: loses its finalizer")]
    ReleaseComputeDomain,
    /// The finalizer of a ComputeDomain that outlives its set.
    #[strum(serialize = "stays without its set: loses its finalizer")]
    LeaveComputeDomain,
    /// A ComputeDomain whose replica is scaled in, or whose group no clique has any more.
    #[strum(serialize = "no pod joins it any more")]
    RemoveComputeDomain,
    /// A PodGroup that no pod names any more, or whose demands no longer hold.
    #[strum(serialize = "its gang does not use it any more")]
    RemovePodGroup,
    /// A topology object of a scheduler with other levels, which are immutable.
    #[strum(serialize = "the levels of its ClusterTopologyBinding have changed")]
    RecreateTopology,
    /// A pod that is pinned to a topology domain in which its scope does not run any more.
    #[strum(serialize = "no pod of its scope runs in its topology domain any more")]
    FreePod,
    /// A pod is scaled in.
    #[strum(serialize = "scaled in")]
    ScaleInPod,
    /// A PodClique of an earlier attempt of its replica.
    #[strum(serialize = "its replica is terminated")]
    TerminateReplica,
    /// A PodClique of an earlier attempt of its group replica.
    #[strum(serialize = "group replica is terminated")]
    TerminateGroupReplica,
    /// A pod of a job that is over.
    #[strum(serialize = "the job is over")]
    EndJob,
    /// A pod of a set that is suspended.
    #[strum(serialize = "the set is suspended")]
    Suspend,
    /// A pod of a gang that lost its quota.
    #[strum(serialize = "its gang lost its quota")]
    EvictPod,
    /// A request for quota that is not needed, or whose pods have ended.
    #[strum(serialize = "its pods need no quota any more")]
    ReturnQuota,
    /// A job that is over, and that was kept for `ttlAfterFinished`.
    #[strum(serialize = "ttlAfterFinished has passed")]
    ExpireJob,
    /// A pod that ended makes room for its successor.
    #[strum(serialize = "it ended and is replaced")]
    ReplacePod,
    /// A pod of an older template makes room for one of the newest.
    #[strum(serialize = "its template is out of date")]
    UpdatePod,
    /// A PodClique of a group replica with an older template makes room likewise.
    #[strum(serialize = "group replica is updated")]
    UpdateGroupReplica,
    /// A surge pod, or a PodClique of a surge replica, is not needed any more.
    #[strum(serialize = "surge is not needed any more")]
    RemoveSurge,
    /// One of two pods on one index.
    #[strum(serialize = "second pod on one index")]
    RemoveSecondPod,
    /// A pod that its PodGang lists may be scheduled.
    #[strum(serialize = "listed by its PodGang: may be scheduled")]
    RemoveGate,
    /// A pod may start: its dependencies are up.
    #[strum(serialize = "its dependencies are ready")]
    StartPod,
    /// A pod may start, and its init container still waits.
    #[strum(serialize = "its kubelet has not passed on the start signal")]
    RepeatStart,
    /// A pod whose node does not confirm its end is removed from the headless Service.
    #[strum(serialize = "stuck in Terminating: leaves the headless Service")]
    DetachStuckPod,
    /// The same for a pod that an earlier attempt has left.
    #[strum(serialize = "released in another attempt: leaves the headless Service")]
    DetachReleasedPod,
    /// A pod without a controller gets its owner.
    #[strum(serialize = "it has no controller: adopted")]
    AdoptPod,
    /// Labels of a pod that were edited are restored.
    #[strum(serialize = "its labels were edited")]
    RestoreLabels,
    /// A pod of another implementation gets our template hash.
    #[strum(serialize = "adopted: gets the template hash")]
    RebaseHash,
}

impl Purpose {
    /// Its words, for people.
    pub fn text(self) -> &'static str {
        self.into()
    }
}
