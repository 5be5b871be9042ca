//! The order in which causes are reported if several are found: the same state always gets the same
//! answer, and a pod that waits for its image never hides one that can never be created.

use crate::conditions::Reason;

/// Causes that somebody has to fix; the first one is reported.
const BLOCKING: [Reason; 20] = [
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
    Reason::PodFailed,
    Reason::ImagePullFailed,
    Reason::ContainerConfigError,
    Reason::CrashLoop,
    Reason::VolumeUnavailable,
    Reason::NodeSelectorUnmatched,
    Reason::InsufficientResources,
    Reason::Unschedulable,
    Reason::ForeignSchedulingGate,
];

/// Causes that usually pass by themselves, reported after the others.
const PASSING: [Reason; 11] = [
    Reason::Terminating,
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

/// Causes that waiting does not cure: somebody has to change an object.
const FINAL: [Reason; 5] = [
    Reason::NameTaken,
    Reason::MaxRestartsExceeded,
    Reason::MaxRuntimeExceeded,
    Reason::InvalidSpec,
    Reason::LimitExceeded,
];

/// What the API server refuses. It is asked again and may agree then.
const REFUSED: [Reason; 4] = [
    Reason::QuotaExceeded,
    Reason::ServiceAccountMissing,
    Reason::PriorityClassMissing,
    Reason::RequestRefused,
];

impl Reason {
    /// Its place among causes: of several the lowest is reported. A reason that is no cause is last.
    pub fn priority(self) -> usize {
        let mut all = BLOCKING.iter().chain(&PASSING);
        all.position(|reason| *reason == self).unwrap_or(usize::MAX)
    }

    /// Whether somebody has to fix this cause; the others pass by themselves.
    pub fn is_blocking(self) -> bool {
        BLOCKING.contains(&self)
    }

    /// Whether waiting does not cure this cause.
    pub fn is_final(self) -> bool {
        FINAL.contains(&self)
    }

    /// Whether this cause is a refusal by the API server, which is asked again.
    pub fn is_refusal(self) -> bool {
        REFUSED.contains(&self)
    }
}
