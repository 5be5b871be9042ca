//! What a container of a pod on a node lacks.

use api::conditions::Reason;

use super::cause::{self, Cause};
use super::start_order;
use crate::Pod;
use crate::object::pod::{ContainerStatus, Terminated};

/// The first cause among the containers of a pod.
pub(super) fn find_cause(pod: &Pod) -> Cause {
    let unready = || pod.containers().filter(|c| !c.ready && !is_done(c));
    // The others start after it.
    if let Some(waits) = unready().find_map(|c| start_order::find_cause(pod, c)) {
        return waits;
    }
    let place = |c: &ContainerStatus| format!("{}: container {}: ", pod.name(), c.name);
    let causes = unready().map(|c| cause_of(pod, c).within(&place(c)));
    cause::first(causes).unwrap_or_else(|| cause_of_pod(pod))
}

/// No container lacks anything. Of a node that is lost nobody updates what the kubelet wrote: the
/// node controller takes back the pod's `Ready` alone.
fn cause_of_pod(pod: &Pod) -> Cause {
    if !pod.has_condition("ContainersReady") {
        return Cause::new(Reason::PodsStarting, format!("{} starts", pod.name()));
    }
    let node = pod.spec.node_name.as_deref().unwrap_or("?");
    let text = format!(
        "{} is not ready, though its containers are: its node {node} is lost, or one of its \
         readiness gates is closed",
        pod.name()
    );
    Cause::new(Reason::PodNotReady, text)
}

/// Init containers end, and so do the app containers of a job that succeeds.
fn is_done(container: &ContainerStatus) -> bool {
    let ended = container.state.terminated.as_ref();
    ended.is_some_and(|t| t.exit_code == 0)
}

fn cause_of(pod: &Pod, container: &ContainerStatus) -> Cause {
    let waiting = container.state.waiting.as_ref();
    let waits_for = waiting.and_then(|w| w.reason.as_deref()).unwrap_or("");
    if is_of_image(waits_for) {
        let text = match container.image.as_str() {
            "" => "its image cannot be pulled".to_owned(),
            image => format!("image {image} cannot be pulled"),
        };
        return Cause::new(Reason::ImagePullFailed, text);
    }
    let end = last_end(container).filter(|_| !was_ready_since_start(pod, container));
    if let Some(end) = end {
        return Cause::new(Reason::CrashLoop, crash(container, end));
    }
    let message = waiting.and_then(|w| w.message.as_deref());
    match waits_for {
        "" if container.state.running.is_some() && is_before_others(pod, container) => {
            Cause::new(Reason::PodsStarting, "runs, and the others start after it")
        }
        "" if container.state.running.is_some() => {
            Cause::new(Reason::ContainersNotReady, "runs and is not ready")
        }
        "" | "ContainerCreating" | "PodInitializing" => Cause::new(Reason::PodsStarting, "starts"),
        other => {
            let text = message.map_or_else(|| other.to_owned(), |m| format!("{other}: {m}"));
            Cause::new(Reason::ContainerConfigError, text)
        }
    }
}

/// Whether it is an init container, and others wait for its end.
fn is_before_others(pod: &Pod, container: &ContainerStatus) -> bool {
    let waits = |c: &ContainerStatus| c.state.running.is_none() && c.state.terminated.is_none();
    let mut init = pod.status.init_container_statuses.iter();
    init.any(|c| c.name == container.name) && pod.status.container_statuses.iter().all(waits)
}

/// Whether the pod was Ready while the container ran as it runs now: what ended before is another
/// trouble, and over.
fn was_ready_since_start(pod: &Pod, container: &ContainerStatus) -> bool {
    let running = container.state.running.as_ref();
    let started = running.and_then(|r| r.started_at.as_ref());
    let mut conditions = pod.status.conditions.iter();
    let ready = conditions.find(|c| c.type_ == "Ready");
    let flipped = ready.and_then(|c| c.last_transition_time.as_ref());
    started
        .zip(flipped)
        .is_some_and(|(started, flipped)| flipped.0 > started.0)
}

fn is_of_image(waits_for: &str) -> bool {
    matches!(
        waits_for,
        "ErrImagePull"
            | "ImagePullBackOff"
            | "InvalidImageName"
            | "ErrImageNeverPull"
            | "ImageInspectError"
            | "RegistryUnavailable"
            | "SignatureValidationFailed"
    )
}

/// How the container ended badly: now, or before it was started again. Between two crashes it runs
/// for a while, and that is the same trouble.
pub(super) fn last_end(container: &ContainerStatus) -> Option<&Terminated> {
    let ends = [&container.state, &container.last_state];
    let mut ends = ends.into_iter().filter_map(|s| s.terminated.as_ref());
    ends.find(|t| t.exit_code != 0)
}

fn crash(container: &ContainerStatus, end: &Terminated) -> String {
    let reason = end.reason.as_deref().filter(|r| *r != "Error");
    let reason = reason.map_or(String::new(), |r| format!("{r}, "));
    let restarts = match container.restart_count {
        0 => "not restarted yet".to_owned(),
        1 => "restarted once".to_owned(),
        n => format!("restarted {n} times"),
    };
    format!(
        "crashed with {reason}exit code {}, {restarts}",
        end.exit_code
    )
}
