//! Reasons of the events that the operator posts (docs/semantics.md §13.2). There are no others: a
//! reason can only be made here.

use std::fmt;

use crate::conditions::Reason;

/// PascalCase reason of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventReason(&'static str);

impl EventReason {
    /// As the event has it.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether it tells of nothing but the ordinary way: something was made or removed, or runs. The
    /// objects and their conditions say the same, so it may be left untold where there are many
    /// (docs/operations.md, "Events").
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

// How each begins says of which type the event is, and on what.

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
/// Normal on the set: a replica of a training job is restarted.
pub const REPLICA_RESTARTING: EventReason = EventReason("ReplicaRestarting");
/// Warning on the set: a pod of a training job failed, and its rank alone is started again.
pub const FAILED_POD_REPLACED: EventReason = EventReason("FailedPodReplaced");
/// Warning on the set: a pod of a training job hangs in Terminating, and its rank is started again.
pub const STUCK_POD_REPLACED: EventReason = EventReason("StuckPodReplaced");
/// Normal on the set: all runs, for the first time or again.
pub const READY: EventReason = EventReason("Ready");

/// Warning on the object: what became of it cannot be written into its status.
pub const STATUS_FAILED: EventReason = EventReason("StatusUpdateFailed");
/// Warning on the object: a field of it cannot be read, so nothing is done about it until that is
/// corrected; or, if it is being deleted, it is removed by its metadata.
pub const UNREADABLE: EventReason = EventReason("Unreadable");
/// Reasons of success that are routine. Not among them is what tells of an update (a PodClique that
/// is replaced), of a termination, a restart or the end of a job.
const ROUTINE: [&str; 9] = [
    "PodCreateSuccessful",
    "PodDeleteSuccessful",
    "PodCliqueCreateSuccessful",
    "PodCliqueDeleteSuccessful",
    "PodCliqueScalingGroupCreateSuccessful",
    "PodCliqueScalingGroupDeleteSuccessful",
    "PodGangCreateOrUpdateSuccessful",
    "PodGangDeleteSuccessful",
    READY.0,
];

/// Warning on the parent: a name that is needed is taken by an object of somebody else.
pub const NAME_CONFLICT: EventReason = EventReason("NameConflict");
/// Warning on the parent: a write failed that has no reason of its own.
pub const SYNC_FAILED: EventReason = EventReason("SyncFailed");

/// A write of which events tell.
#[derive(Clone, Copy, Debug)]
pub struct ToldWrite {
    /// `create`, `delete`, `replace`.
    pub verbs: &'static [&'static str],
    /// Kind of what is written.
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

/// All of them (Grove, internal/constants).
pub const WRITES: [ToldWrite; 9] = [
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
];

/// Reasons of success and of failure of a write, if events tell of it.
pub fn of_writes(verb: &str, kind: &str) -> Option<(EventReason, EventReason)> {
    let mut all = WRITES.iter();
    let told = all.find(|write| write.kind == kind && write.verbs.contains(&verb))?;
    Some((told.success, told.failure))
}
