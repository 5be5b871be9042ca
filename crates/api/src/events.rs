//! Reasons of the events that the operator posts (docs/semantics.md §13.2). No other reason exists:
//! only this module can construct one.

use std::fmt;

use crate::conditions::Reason;

/// PascalCase reason of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventReason(&'static str);

impl EventReason {
    /// The reason as the event spells it.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether the event reports regular work only: an object was created or removed, or runs. The
    /// objects and their conditions show the same, so the operator may drop such events when there
    /// are many (docs/operations.md, "Events").
    pub fn is_routine(self) -> bool {
        ROUTINE.contains(&self.0)
    }
}

impl fmt::Display for EventReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// An event about a cause has the reason of the condition that names it.
impl From<Reason> for EventReason {
    fn from(reason: Reason) -> Self {
        Self(reason.into())
    }
}

// The comment of each constant begins with the type of the event and the object that it is posted
// on.

/// Warning on the set: a replica is terminated at the time that the message says, unless it recovers.
pub const GANG_TERMINATION_SCHEDULED: EventReason = EventReason("GangTerminationScheduled");
/// Warning on the set: a replica was terminated because of a breach.
pub const GANG_TERMINATED: EventReason = EventReason("GangTerminated");
/// Normal on the set: all PodCliques of a terminated replica of a set were deleted (Grove).
pub const REPLICA_DELETED: EventReason = EventReason("PodCliqueSetReplicaDeleteSuccessful");
/// Normal on the set: all PodCliques of a terminated replica of a scaling group were deleted (Grove).
pub const GROUP_REPLICA_DELETED: EventReason =
    EventReason("PodCliqueScalingGroupReplicaDeleteSuccessful");
/// Warning on the set: a PodClique of a training job failed.
pub const PODCLIQUE_FAILED: EventReason = EventReason("PodCliqueFailed");
/// Normal on the set: a replica is restarted, one of a training job or one that a user asked for.
pub const REPLICA_RESTARTING: EventReason = EventReason("ReplicaRestarting");
/// Warning on the set: a pod of a training job failed, and its rank alone is started again.
pub const FAILED_POD_REPLACED: EventReason = EventReason("FailedPodReplaced");
/// Warning on the set: a pod of a training job hangs in Terminating, and its rank is started again.
pub const STUCK_POD_REPLACED: EventReason = EventReason("StuckPodReplaced");
/// Normal on the set: everything runs, for the first time or again.
pub const READY: EventReason = EventReason("Ready");

/// Normal on the set: an update to a changed template begins.
pub const UPDATE_STARTED: EventReason = EventReason("UpdateStarted");
/// Normal on the set: all replicas have the changed template.
pub const UPDATE_COMPLETED: EventReason = EventReason("UpdateCompleted");
/// Warning on the set: the ControllerRevision on which a replica is does not exist; PodCliques and pods
/// that are recreated there take the newest templates.
pub const REVISION_MISSING: EventReason = EventReason("RevisionMissing");

/// Normal on the set: it is suspended; its pods are deleted.
pub const SUSPENDED: EventReason = EventReason("Suspended");
/// Normal on the set: it was suspended, and its gangs start again.
pub const RESUMED: EventReason = EventReason("Resumed");
/// Normal on the PodGang: the quota of the gang is reserved; its pods may start.
pub const QUOTA_RESERVED: EventReason = EventReason("QuotaReserved");
/// Warning on the PodGang: the gang lost its quota; its pods end, and it waits in its queue.
pub const QUOTA_EVICTED: EventReason = EventReason("QuotaEvicted");
/// Normal on the set: the job is over, and its `ttlAfterFinished` has passed; the set is deleted.
pub const TTL_EXPIRED: EventReason = EventReason("TTLExpired");

/// Normal on the ClusterTopologyBinding: the topology objects of all schedulers have its levels
/// (Grove).
pub const TOPOLOGY_IN_SYNC: EventReason = EventReason("TopologyInSync");
/// Warning on the ClusterTopologyBinding: a scheduler's topology object has other levels, there is none,
/// or the scheduler is not known (Grove).
pub const TOPOLOGY_DRIFT: EventReason = EventReason("TopologyDriftDetected");

/// Warning on the object: the operator cannot write its status.
pub const STATUS_FAILED: EventReason = EventReason("StatusUpdateFailed");
/// Warning on the object: a field cannot be decoded, so the operator does nothing for the object
/// until the field is corrected. If the object is being deleted, the operator removes it by its
/// metadata.
pub const UNREADABLE: EventReason = EventReason("Unreadable");
/// Reasons of routine successes. Not routine: the replacement of a PodClique in an update, a
/// termination, a restart, the end of a job.
const ROUTINE: [&str; 13] = [
    "PodCreateSuccessful",
    "PodDeleteSuccessful",
    "PodCliqueCreateSuccessful",
    "PodCliqueDeleteSuccessful",
    "PodCliqueScalingGroupCreateSuccessful",
    "PodCliqueScalingGroupDeleteSuccessful",
    "PodGangCreateOrUpdateSuccessful",
    "PodGangDeleteSuccessful",
    "ComputeDomainCreateSuccessful",
    "ComputeDomainDeleteSuccessful",
    READY.0,
    UPDATE_STARTED.0,
    UPDATE_COMPLETED.0,
];

/// Warning on the parent: an object of another owner has a name that the operator needs.
pub const NAME_CONFLICT: EventReason = EventReason("NameConflict");
/// Warning on the parent: a write failed that has no reason of its own.
pub const SYNC_FAILED: EventReason = EventReason("SyncFailed");

/// A write that events report.
#[derive(Clone, Copy, Debug)]
pub struct ToldWrite {
    /// `create`, `delete`, `replace`.
    pub verbs: &'static [&'static str],
    /// Kind of the written object.
    pub kind: &'static str,
    /// Reason if it succeeded.
    pub success: EventReason,
    /// Reason if it failed.
    pub failure: EventReason,
}

const fn told(
    verbs: &'static [&'static str],
    kind: &'static str,
    success: &'static str,
    failure: &'static str,
) -> ToldWrite {
    ToldWrite {
        verbs,
        kind,
        success: EventReason(success),
        failure: EventReason(failure),
    }
}

/// All reported writes (Grove, internal/constants).
pub const WRITES: [ToldWrite; 11] = [
    told(&["create"], "Pod", "PodCreateSuccessful", "PodCreateFailed"),
    told(&["delete"], "Pod", "PodDeleteSuccessful", "PodDeleteFailed"),
    told(
        &["create"],
        "PodClique",
        "PodCliqueCreateSuccessful",
        "PodCliqueCreateFailed",
    ),
    told(
        &["delete"],
        "PodClique",
        "PodCliqueDeleteSuccessful",
        "PodCliqueDeleteFailed",
    ),
    told(
        &["replace"],
        "PodClique",
        "PodCliqueCreateOrUpdateSuccessful",
        "PodCliqueCreateOrUpdateFailed",
    ),
    told(
        &["create", "replace"],
        "PodCliqueScalingGroup",
        "PodCliqueScalingGroupCreateSuccessful",
        "PodCliqueScalingGroupCreateOrUpdateFailed",
    ),
    told(
        &["delete"],
        "PodCliqueScalingGroup",
        "PodCliqueScalingGroupDeleteSuccessful",
        "PodCliqueScalingGroupDeleteFailed",
    ),
    told(
        &["create"],
        "PodGang",
        "PodGangCreateOrUpdateSuccessful",
        "PodGangCreateOrUpdateFailed",
    ),
    told(
        &["delete"],
        "PodGang",
        "PodGangDeleteSuccessful",
        "PodGangDeleteFailed",
    ),
    told(
        &["create"],
        "ComputeDomain",
        "ComputeDomainCreateSuccessful",
        "ComputeDomainCreateFailed",
    ),
    told(
        &["delete"],
        "ComputeDomain",
        "ComputeDomainDeleteSuccessful",
        "ComputeDomainDeleteFailed",
    ),
];

/// Reasons of success and of failure of a write, if events report it.
pub fn of_writes(verb: &str, kind: &str) -> Option<(EventReason, EventReason)> {
    let mut all = WRITES.iter();
    let told = all.find(|write| write.kind == kind && write.verbs.contains(&verb))?;
    Some((told.success, told.failure))
}
