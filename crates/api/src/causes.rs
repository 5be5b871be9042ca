//! In which order causes are told of which several are found: the same state always gets the same
//! answer, and a pod that waits for its image never hides one that can never be created.

use crate::conditions::Reason;

/// What somebody has to do something about, the first one first.
const BLOCKING: [Reason; 19] = [
    Reason::NameTaken,
    Reason::MaxRestartsExceeded,
    Reason::MaxRuntimeExceeded,
    Reason::InvalidSpec,
    Reason::LimitExceeded,
    Reason::NotImplemented,
    Reason::QuotaExceeded,
    Reason::ServiceAccountMissing,
    Reason::PriorityClassMissing,
    Reason::RequestRefused,
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

/// What usually passes by itself, told after the others.
const PASSING: [Reason; 8] = [
    Reason::ReplicaTearingDown,
    Reason::PodTerminating,
    Reason::PodsBeingCreated,
    Reason::ContainersNotReady,
    Reason::PodsStarting,
    Reason::WaitingForScheduler,
    Reason::GangIncomplete,
    Reason::BaseGangNotReady,
];

impl Reason {
    /// Its place among causes: of several the lowest is told. What is no cause comes last.
    pub fn priority(self) -> usize {
        let mut all = BLOCKING.iter().chain(&PASSING);
        all.position(|reason| *reason == self).unwrap_or(usize::MAX)
    }

    /// Whether somebody has to do something about what this says; the rest passes by itself.
    pub fn is_blocking(self) -> bool {
        BLOCKING.contains(&self)
    }
}
