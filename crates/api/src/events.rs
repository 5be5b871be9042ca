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

/// A replica is terminated at the time that the message says, unless it recovers.
pub const GANG_TERMINATION_SCHEDULED: EventReason = EventReason("GangTerminationScheduled");
/// A replica was terminated because of a breach.
pub const GANG_TERMINATED: EventReason = EventReason("GangTerminated");
/// All PodCliques of a terminated replica of a set were deleted (Grove).
pub const REPLICA_DELETED: EventReason = EventReason("PodCliqueSetReplicaDeleteSuccessful");
/// All PodCliques of a terminated replica of a scaling group were deleted (Grove).
pub const GROUP_REPLICA_DELETED: EventReason =
    EventReason("PodCliqueScalingGroupReplicaDeleteSuccessful");
/// A PodClique of a training job failed.
pub const PODCLIQUE_FAILED: EventReason = EventReason("PodCliqueFailed");
/// A replica of a training job is restarted.
pub const REPLICA_RESTARTING: EventReason = EventReason("ReplicaRestarting");
/// All runs again.
pub const READY: EventReason = EventReason("Ready");

/// What became of an object cannot be written into its status.
pub const STATUS_FAILED: EventReason = EventReason("StatusUpdateFailed");
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

/// A name that is needed is taken by an object of somebody else.
pub const NAME_CONFLICT: EventReason = EventReason("NameConflict");
/// A write failed that has no reason of its own.
pub const SYNC_FAILED: EventReason = EventReason("SyncFailed");

/// Reasons of success and of failure of a write (Grove, internal/constants).
pub fn of_writes(verb: &str, kind: &str) -> Option<(EventReason, EventReason)> {
    let (success, failure) = match (verb, kind) {
        ("create", "Pod") => ("PodCreateSuccessful", "PodCreateFailed"),
        ("delete", "Pod") => ("PodDeleteSuccessful", "PodDeleteFailed"),
        ("create", "PodClique") => ("PodCliqueCreateSuccessful", "PodCliqueCreateFailed"),
        ("delete", "PodClique") => ("PodCliqueDeleteSuccessful", "PodCliqueDeleteFailed"),
        ("replace", "PodClique") => (
            "PodCliqueCreateOrUpdateSuccessful",
            "PodCliqueCreateOrUpdateFailed",
        ),
        ("create" | "replace", "PodCliqueScalingGroup") => (
            "PodCliqueScalingGroupCreateSuccessful",
            "PodCliqueScalingGroupCreateOrUpdateFailed",
        ),
        ("delete", "PodCliqueScalingGroup") => (
            "PodCliqueScalingGroupDeleteSuccessful",
            "PodCliqueScalingGroupDeleteFailed",
        ),
        ("create", "PodGang") => (
            "PodGangCreateOrUpdateSuccessful",
            "PodGangCreateOrUpdateFailed",
        ),
        ("delete", "PodGang") => ("PodGangDeleteSuccessful", "PodGangDeleteFailed"),
        _ => return None,
    };
    Some((EventReason(success), EventReason(failure)))
}
