//! What to do about each cause: the tables of docs/operations.md, word for word (a test compares
//! them).

use api::conditions::Reason;

/// What to do about this cause; `None` of a reason that is none.
pub fn remedy_of(reason: Reason) -> Option<&'static str> {
    let mut all = REMEDIES.iter();
    all.find(|(of, _)| *of == reason).map(|(_, remedy)| *remedy)
}

const REMEDIES: [(Reason, &str); 30] = [
    (
        Reason::NameTaken,
        "delete or rename that object; the message names its owner",
    ),
    (
        Reason::MaxRestartsExceeded,
        "see `status.lastFailures`; delete the job and apply it again",
    ),
    (
        Reason::MaxRuntimeExceeded,
        "delete the job and apply it again, with more time",
    ),
    (
        Reason::InvalidSpec,
        "the message has path, value and remedy",
    ),
    (
        Reason::LimitExceeded,
        "the message has path, value and limit; scale down, or split the workload",
    ),
    (
        Reason::QuotaExceeded,
        "raise the quota, or free some of it; asked again within a minute",
    ),
    (
        Reason::ServiceAccountMissing,
        "create it, or correct `serviceAccountName`",
    ),
    (
        Reason::PriorityClassMissing,
        "create it, or correct `priorityClassName`",
    ),
    (
        Reason::RequestRefused,
        "the message says why: a policy, a webhook, a LimitRange",
    ),
    (
        Reason::SchedulerNotInstalled,
        "install the scheduler, or choose another profile; the message names what is missing",
    ),
    (
        Reason::QueueNotFound,
        "create it, or correct its name; the message has both",
    ),
    (
        Reason::PodFailed,
        "the message says how; it is replaced, later each time",
    ),
    (
        Reason::ImagePullFailed,
        "check the image's name, the registry and `imagePullSecrets`; `kubectl describe pod` has \
         its answer",
    ),
    (
        Reason::ContainerConfigError,
        "create what the message names",
    ),
    (Reason::CrashLoop, "`kubectl logs --previous POD`"),
    (
        Reason::VolumeUnavailable,
        "`kubectl get pvc`; create or bind it",
    ),
    (
        Reason::NodeSelectorUnmatched,
        "correct them, or label nodes: `kubectl get nodes --show-labels`",
    ),
    (
        Reason::InsufficientResources,
        "free or add nodes; `kubectl describe nodes` shows what is taken",
    ),
    (Reason::Unschedulable, "the message is the scheduler's"),
    (
        Reason::ForeignSchedulingGate,
        "ask whoever set it; the message names the gate",
    ),
    (
        Reason::ReplicaTerminating,
        "none; a pod that hangs in Terminating stops counting after `stuckPodTimeout`, of a job on \
         a node that is Ready after `stuckPodTimeoutOnReadyNode`",
    ),
    (
        Reason::PodTerminating,
        "none; a pod that hangs in Terminating stops counting after `stuckPodTimeout`, of a job on \
         a node that is Ready after `stuckPodTimeoutOnReadyNode`",
    ),
    (
        Reason::PodsBeingCreated,
        "none; if it stays so, read the operator's log",
    ),
    (
        Reason::PodNotReady,
        "`kubectl get node NODE`: Kubernetes evicts its pods after 5 minutes, unless they tolerate \
         it for longer, and the operator replaces them",
    ),
    (
        Reason::ContainersNotReady,
        "`kubectl logs POD`; loading a model may take its time",
    ),
    (
        Reason::PodsStarting,
        "none; `kubectl describe pod` if it stays so",
    ),
    (
        Reason::WaitingForScheduler,
        "check that the scheduler the message names runs",
    ),
    (
        Reason::WaitingForStartOrder,
        "see why those are not: the PodCliqueSet's message tells; `kubectl logs POD -c \
         grove-initc`. If its kubelet has not shown it that it may start: see its node",
    ),
    (
        Reason::GangIncomplete,
        "see why the others do not: the PodCliqueSet's message tells",
    ),
    (Reason::BaseGangNotReady, "see why that is not ready"),
];
