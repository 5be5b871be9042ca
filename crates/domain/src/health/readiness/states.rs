//! The states of a pod that kubelets and schedulers report, as causes: one row for each state.
//!
//! The first row that holds is reported. The order is the kubelet's: why a container waits, how it
//! last ended, its present state; then the pod as a whole.

use api::conditions::Reason;

use super::cause::Cause;
use super::state_input::{StateInput, is_lost};
use super::{scheduler, words};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ReadinessState {
    /// The state in words, as in docs/operations.md.
    pub name: &'static str,
    /// The reason of the cause.
    pub reason: Reason,
    /// The remedy; `None`: the remedy for all causes of this reason.
    pub remedy: Option<&'static str>,
    holds: fn(&StateInput<'_>) -> bool,
    text: fn(&StateInput<'_>) -> String,
}

/// The cause of an observation, by the first row that holds.
pub(super) fn find_state(input: &StateInput<'_>) -> Option<Cause> {
    let state = STATES.iter().find(|state| (state.holds)(input))?;
    let cause = Cause::new(state.reason, (state.text)(input));
    Some(cause.of_state(state, input.container.map(|c| &*c.name)))
}

/// All rows, in order.
pub fn states() -> &'static [ReadinessState] {
    &STATES
}

const STATES: [ReadinessState; 37] = [
    ReadinessState {
        name: "the scheduler: no topology domain has room for the gang",
        reason: Reason::TopologyNoDomain,
        remedy: None,
        holds: |s| s.finds_no_domain(),
        text: scheduler::describe_no_domain,
    },
    ReadinessState {
        name: "the scheduler: no room for a group of pods",
        reason: Reason::Unschedulable,
        remedy: Some("free or add nodes; `kubectl describe nodes` lists the requests on each node"),
        holds: |s| s.refusal.is_some_and(scheduler::is_of_group),
        text: scheduler::describe_group,
    },
    ReadinessState {
        name: "the scheduler: 256 pods use a resource claim",
        reason: Reason::ClaimFull,
        remedy: None,
        holds: |s| s.is_refused_for("reservedfor: too many"),
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: a volume",
        reason: Reason::VolumeUnavailable,
        remedy: None,
        holds: |s| {
            s.is_refused_for("persistentvolumeclaim") || s.is_refused_for("volume node affinity")
        },
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: no room in the topology domain that a pod has to join",
        reason: Reason::TopologyNoDomain,
        remedy: Some(
            "free, add or uncordon nodes in that domain; `terminationDelay` after the gang falls below \
             its minimum, gang termination recreates it, and it may get another domain",
        ),
        holds: |s| s.has_no_room_at_pin(),
        text: scheduler::describe_pin,
    },
    ReadinessState {
        name: "the scheduler: `Insufficient ...`",
        reason: Reason::InsufficientResources,
        remedy: None,
        holds: |s| s.is_refused_for("insufficient "),
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: no free devices for a resource claim",
        reason: Reason::DevicesUnavailable,
        remedy: None,
        holds: |s| s.is_refused_for("cannot allocate all claims"),
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: a taint",
        reason: Reason::Unschedulable,
        remedy: Some(
            "`kubectl describe nodes` shows taints and conditions: repair a node that is not ready, \
             write `tolerations` into the template of the PodCliqueSet, or remove the taint",
        ),
        holds: |s| s.is_refused_for("untolerated taint"),
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: nodeSelector or affinity",
        reason: Reason::NodeSelectorUnmatched,
        remedy: None,
        holds: |s| s.is_refused_for("node affinity/selector") || s.is_refused_for("nodeselector"),
        text: words::refusal,
    },
    ReadinessState {
        name: "the scheduler: anything else",
        reason: Reason::Unschedulable,
        remedy: None,
        holds: |s| s.refusal.is_some(),
        text: words::refusal,
    },
    ReadinessState {
        name: "a container waits: `InvalidImageName`",
        reason: Reason::ImagePullFailed,
        remedy: Some("correct `image` in the template of the PodCliqueSet"),
        holds: |s| s.waits_for("InvalidImageName"),
        text: words::image,
    },
    ReadinessState {
        name: "a container waits: `ErrImageNeverPull`",
        reason: Reason::ImagePullFailed,
        remedy: Some(
            "load the image onto the node, or write `imagePullPolicy: IfNotPresent` into the template \
             of the PodCliqueSet",
        ),
        holds: |s| s.waits_for("ErrImageNeverPull"),
        text: words::image,
    },
    ReadinessState {
        name: "a container waits: `ErrImagePull`, `ImagePullBackOff` or another trouble with its image",
        reason: Reason::ImagePullFailed,
        remedy: None,
        holds: |s| s.waits_for_image(),
        text: words::image,
    },
    ReadinessState {
        name: "a container waits: `CreateContainerConfigError`, something is not found",
        reason: Reason::ContainerConfigError,
        remedy: None,
        holds: |s| s.waits_for("CreateContainerConfigError") && s.lacks_an_object(),
        text: words::waiting,
    },
    ReadinessState {
        name: "a container waits: `CreateContainerConfigError`, it would run as root",
        reason: Reason::ContainerConfigError,
        remedy: Some(
            "set `securityContext.runAsUser` in the template of the PodCliqueSet, or use an image \
             whose user is a number that is not 0",
        ),
        holds: |s| {
            s.waits_for("CreateContainerConfigError") && s.message().contains("runAsNonRoot")
        },
        text: words::waiting,
    },
    ReadinessState {
        name: "a container waits: `CreateContainerError`",
        reason: Reason::ContainerConfigError,
        remedy: Some(
            "correct the container in the template of the PodCliqueSet: its `command`, where none \
             is specified",
        ),
        holds: |s| s.waits_for("CreateContainerError"),
        text: words::waiting,
    },
    ReadinessState {
        name: "a container cannot be started: `RunContainerError`, `StartError`",
        reason: Reason::CrashLoop,
        remedy: Some(
            "correct `command` in the template of the PodCliqueSet; there is no log of a program \
             that did not start",
        ),
        holds: |s| s.is_not_started(),
        text: words::not_started,
    },
    ReadinessState {
        name: "a container's hook fails: `PostStartHookError`",
        reason: Reason::CrashLoop,
        remedy: Some("correct `lifecycle.postStart` in the template of the PodCliqueSet"),
        holds: |s| s.waits_for("PostStartHookError"),
        text: words::hook,
    },
    ReadinessState {
        name: "a container waits for another reason",
        reason: Reason::ContainerConfigError,
        remedy: Some(
            "correct the setting that the message names: `kubectl edit podcliqueset SET -n NAMESPACE`",
        ),
        holds: |s| s.waits_for_another_reason(),
        text: words::waiting,
    },
    ReadinessState {
        name: "a container was lost with its node: `Unknown`, `ContainerStatusUnknown`",
        reason: Reason::PodsStarting,
        remedy: Some(
            "none: it is started again; `kubectl describe node NODE` shows when the node came \
             back",
        ),
        holds: |s| s.end().is_some_and(is_lost),
        text: words::lost_container,
    },
    ReadinessState {
        name: "a container with a postStart hook is killed: exit code 137",
        reason: Reason::CrashLoop,
        remedy: Some(
            "`kubectl describe pod POD -n NAMESPACE` shows whether `lifecycle.postStart` fails; correct \
             it in the template of the PodCliqueSet",
        ),
        holds: |s| s.is_killed() && s.spec().is_some_and(|c| c.has_start_hook),
        text: words::killed_for_hook,
    },
    ReadinessState {
        name: "a container with a liveness or startup probe is ended: exit code 137 or 143",
        reason: Reason::CrashLoop,
        remedy: Some(
            "`kubectl describe pod POD -n NAMESPACE` shows whether a probe fails; give it more time \
             (`failureThreshold`, a startupProbe), or see `kubectl logs POD -n NAMESPACE -c CONTAINER \
             --previous`",
        ),
        holds: |s| (s.is_killed() || s.ends_with(143)) && s.is_probed(),
        text: words::killed_for_probe,
    },
    ReadinessState {
        name: "a container ends: `OOMKilled`",
        reason: Reason::CrashLoop,
        remedy: Some(
            "raise `resources.limits.memory` in the template of the PodCliqueSet, or see `kubectl \
             logs POD -n NAMESPACE -c CONTAINER --previous`",
        ),
        holds: |s| s.ends_for("OOMKilled"),
        text: words::crash,
    },
    ReadinessState {
        name: "a container ends with exit code 0",
        reason: Reason::CrashLoop,
        remedy: Some(
            "give the container a `command` that does not end, or use `workloadType: Training`",
        ),
        holds: |s| s.ends_with(0),
        text: words::good_end,
    },
    ReadinessState {
        name: "a container ends with another exit code, or by a signal",
        reason: Reason::CrashLoop,
        remedy: None,
        holds: |s| s.end().is_some() || s.waits_for("CrashLoopBackOff"),
        text: words::crash,
    },
    ReadinessState {
        name: "an init container runs",
        reason: Reason::PodsStarting,
        remedy: None,
        holds: |s| s.runs() && s.is_before_others(),
        text: |_| "runs, and the others start after it".to_owned(),
    },
    ReadinessState {
        name: "a container is running but not ready",
        reason: Reason::ContainersNotReady,
        remedy: None,
        holds: |s| s.runs(),
        text: |_| "is running but not ready".to_owned(),
    },
    ReadinessState {
        name: "a container waits for a minute: `ContainerCreating`, `PodInitializing`",
        reason: Reason::PodsStarting,
        remedy: Some(
            "`kubectl describe pod POD -n NAMESPACE` shows whether a volume cannot be mounted or an \
             image is still being pulled",
        ),
        holds: |s| s.is_long_in_creation(),
        text: words::in_creation,
    },
    ReadinessState {
        name: "a container starts",
        reason: Reason::PodsStarting,
        remedy: None,
        holds: |s| s.container.is_some(),
        text: |_| "starts".to_owned(),
    },
    ReadinessState {
        name: "a pod ended: `Evicted`, or another reason of the pod itself",
        reason: Reason::PodFailed,
        remedy: None,
        holds: |s| s.has_ended() && s.pod.status.reason.is_some(),
        text: words::ended_for_reason,
    },
    ReadinessState {
        name: "a pod ended as its node restarted",
        reason: Reason::PodFailed,
        remedy: Some(
            "none: it is replaced; `kubectl describe node NODE` shows when the node came back",
        ),
        holds: |s| s.has_ended() && s.pod.failure().is_some_and(is_lost),
        text: words::lost_pod,
    },
    ReadinessState {
        name: "a pod that is not of a job ended with exit code 0",
        reason: Reason::PodFailed,
        remedy: Some(
            "give it a `command` that does not end and `restartPolicy: Always`, or use \
             `workloadType: Training`",
        ),
        holds: |s| {
            s.has_ended()
                && s.pod.status.phase.as_deref() != Some("Failed")
                && s.pod.failure().is_none()
        },
        text: words::ended_well,
    },
    ReadinessState {
        name: "a pod ended with another exit code",
        reason: Reason::PodFailed,
        remedy: None,
        holds: |s| s.has_ended(),
        text: words::ended,
    },
    ReadinessState {
        name: "a pod is not ready, its containers are: a readiness gate is closed",
        reason: Reason::PodNotReady,
        remedy: Some(
            "the message names the condition: ask the owner of the controller that sets it; `kubectl \
             get pod POD -n NAMESPACE -o jsonpath='{.status.conditions}'`",
        ),
        holds: |s| s.are_containers_ready() && s.ready_reason() == Some("ReadinessGatesNotReady"),
        text: words::gate,
    },
    ReadinessState {
        name: "a pod is not ready, its containers are: another reason of the pod itself",
        reason: Reason::PodNotReady,
        remedy: Some("`kubectl describe pod POD -n NAMESPACE`"),
        holds: |s| s.are_containers_ready() && s.ready_reason().is_some_and(|r| !r.is_empty()),
        text: words::not_ready,
    },
    ReadinessState {
        name: "a pod is not ready, its containers are, and no reason: its node is lost",
        reason: Reason::PodNotReady,
        remedy: None,
        holds: |s| s.are_containers_ready(),
        text: words::lost_node,
    },
    ReadinessState {
        name: "a pod starts",
        reason: Reason::PodsStarting,
        remedy: None,
        holds: |_| true,
        text: |s| format!("{} starts", s.pod.name()),
    },
];
