//! The one that acts next, by cause.

use api::conditions::Reason;

/// The actions that the operator waits for, or that happen without it.
pub(super) fn wait_for(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::NameTaken => "the operator creates its object once that name is free",
        Reason::InvalidSpec | Reason::LimitExceeded => {
            "the operator does nothing until the cause is fixed; running pods continue"
        }
        Reason::MaxRestartsExceeded | Reason::MaxRuntimeExceeded => {
            "the job is over: the operator ends the pods that still run and creates no others"
        }
        Reason::QuotaExceeded
        | Reason::ServiceAccountMissing
        | Reason::PriorityClassMissing
        | Reason::RequestRefused => {
            "the operator tries again by itself, at the latest within a minute"
        }
        Reason::ImagePullFailed | Reason::ContainerConfigError | Reason::CrashLoop => {
            "the kubelet tries again by itself, later each time; the operator waits for it"
        }
        Reason::VolumeUnavailable
        | Reason::TopologyNoDomain
        | Reason::NodeSelectorUnmatched
        | Reason::InsufficientResources
        | Reason::DevicesUnavailable
        | Reason::ClaimFull
        | Reason::Unschedulable => {
            "the scheduler tries again by itself when something changes; the operator waits for it"
        }
        Reason::SchedulerNotInstalled
        | Reason::QueueNotFound
        | Reason::TopologyUnavailable
        | Reason::ComputeDomainsMissing => {
            "the gang starts by itself once the missing object exists; until then its pods stay gated"
        }
        Reason::ClaimMissing => "the operator creates the pods once their claims exist",
        Reason::PriorityTooHigh => {
            "the gang starts once the set names another PriorityClass; until then its pods stay gated"
        }
        Reason::QuotaEvicted => {
            "its pods end, then it waits in its queue until Kueue reserves quota for it again"
        }
        Reason::WaitingForQuota => "Kueue reserves the quota; until then the pods stay gated",
        Reason::ForeignSchedulingGate => "the operator waits until that gate is removed",
        Reason::WaitingForScheduler => "the operator waits for the scheduler",
        Reason::PodsBeingCreated => "the operator creates the missing pods",
        Reason::PodNotReady => {
            "the operator waits until the pod is Ready again; one whose node is lost is replaced once \
             Kubernetes has evicted it"
        }
        Reason::ContainersNotReady | Reason::PodsStarting => {
            "the operator waits until the containers are ready"
        }
        _ => return None,
    })
}
