//! The order in which several causes are reported. The same state always gives the same report, and
//! a pod that pulls its image never hides a pod that can never be created.

use crate::conditions::Reason;

/// Causes that a person has to fix; the first one is reported.
const BLOCKING: [Reason; 27] = [
    Reason::NameTaken,
    Reason::MaxRestartsExceeded,
    Reason::MaxRuntimeExceeded,
    Reason::InvalidSpec,
    Reason::LimitExceeded,
    Reason::QuotaExceeded,
    Reason::ServiceAccountMissing,
    Reason::PriorityClassMissing,
    Reason::RequestRefused,
    Reason::SchedulerNotInstalled,
    Reason::QueueNotFound,
    Reason::TopologyUnavailable,
    Reason::ComputeDomainsMissing,
    Reason::ClaimMissing,
    Reason::ClaimFull,
    Reason::PriorityTooHigh,
    Reason::PodFailed,
    Reason::ImagePullFailed,
    Reason::ContainerConfigError,
    Reason::CrashLoop,
    Reason::VolumeUnavailable,
    Reason::TopologyNoDomain,
    Reason::NodeSelectorUnmatched,
    Reason::InsufficientResources,
    Reason::DevicesUnavailable,
    Reason::Unschedulable,
    Reason::ForeignSchedulingGate,
];

/// Causes that usually pass by themselves; reported after the others.
const PASSING: [Reason; 14] = [
    Reason::Terminating,
    Reason::Suspended,
    Reason::QuotaEvicted,
    Reason::WaitingForQuota,
    Reason::ReplicaTerminating,
    Reason::PodTerminating,
    Reason::PodsBeingCreated,
    Reason::PodNotReady,
    Reason::ContainersNotReady,
    Reason::PodsStarting,
    Reason::WaitingForScheduler,
    Reason::WaitingForStartOrder,
    Reason::GangIncomplete,
    Reason::BaseGangNotReady,
];

/// Causes that do not pass with time: a person has to change an object.
const FINAL: [Reason; 5] = [
    Reason::NameTaken,
    Reason::MaxRestartsExceeded,
    Reason::MaxRuntimeExceeded,
    Reason::InvalidSpec,
    Reason::LimitExceeded,
];

/// Refusals of the API server. The operator repeats the request, which may succeed then.
const REFUSED: [Reason; 4] = [
    Reason::QuotaExceeded,
    Reason::ServiceAccountMissing,
    Reason::PriorityClassMissing,
    Reason::RequestRefused,
];

impl Reason {
    /// Position of the cause: the lowest of several is reported. A reason that is no cause is last.
    pub fn priority(self) -> usize {
        let mut all = BLOCKING.iter().chain(&PASSING);
        all.position(|reason| *reason == self).unwrap_or(usize::MAX)
    }

    /// Whether a person has to fix this cause. The others pass by themselves.
    pub fn is_blocking(self) -> bool {
        BLOCKING.contains(&self)
    }

    /// Whether this cause does not pass with time.
    pub fn is_final(self) -> bool {
        FINAL.contains(&self)
    }

    /// Whether this reason of `UpdateInProgress` reports an update that makes no progress.
    pub fn is_standstill(self) -> bool {
        matches!(
            self,
            Self::ProgressDeadlineExceeded | Self::NoRoom | Self::ReplicasAway | Self::NoProgress
        )
    }

    /// Whether this reason of `Ready=True` says that an update does not go on by itself.
    pub fn holds_an_update_up(self) -> bool {
        matches!(
            self,
            Self::UpdateRefused
                | Self::UpdateStalled
                | Self::UpdatePaused
                | Self::UpdatePartitioned
        )
    }

    /// Whether this reason of `Ready=True` says that an update needs somebody: it makes no progress, or is
    /// refused.
    pub fn is_stuck_update(self) -> bool {
        matches!(self, Self::UpdateRefused | Self::UpdateStalled)
    }

    /// Whether this cause is a refusal of the API server. The operator repeats the request.
    pub fn is_refusal(self) -> bool {
        REFUSED.contains(&self)
    }
}
