//! States of a pod's containers, and their results.

use domain::object::ownership;
use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, ContainerStatus, Pod};

use super::first_lines;
use crate::explain::answer::Container;

/// The containers that keep the pod from being ready, or all of them.
pub fn of_pod(pod: &Pod) -> Vec<Container> {
    let status = pod.status.as_ref();
    let init = status.and_then(|s| s.init_container_statuses.as_deref());
    let app = status.and_then(|s| s.container_statuses.as_deref());
    let (init, app) = (init.unwrap_or_default(), app.unwrap_or_default());
    // A pod that is done has no unready containers to report.
    init.iter()
        .filter(|c| !is_done(pod, c))
        .chain(app)
        .filter(|c| !c.ready)
        .map(|c| of_container(pod, c))
        .collect()
}

/// Init containers end, except sidecars.
fn is_done(pod: &Pod, container: &ContainerStatus) -> bool {
    let ended = container.state.as_ref().and_then(|s| s.terminated.as_ref());
    let spec = pod
        .spec
        .iter()
        .flat_map(|s| s.init_containers.iter().flatten())
        .find(|c| c.name == container.name);
    let restarts_always = spec.and_then(|c| c.restart_policy.as_deref()) == Some("Always");
    !restarts_always && ended.is_some_and(|t| t.exit_code == 0)
}

fn of_container(pod: &Pod, container: &ContainerStatus) -> Container {
    let ended = |state: &Option<ContainerState>| state.as_ref()?.terminated.clone();
    let (now, before) = (ended(&container.state), ended(&container.last_state));
    let last = now.as_ref().or(before.as_ref());
    Container {
        pod: ownership::name(&pod.metadata).to_owned(),
        name: container.name.clone(),
        state: describe_state(container.state.as_ref()),
        restarts: container.restart_count,
        last_end: before.as_ref().map(describe_end),
        last_words: first_lines(last.and_then(|t| t.message.as_deref())),
    }
}

fn describe_state(state: Option<&ContainerState>) -> String {
    let Some(state) = state else {
        return "has not started".to_owned();
    };
    if let Some(waiting) = &state.waiting {
        let reason = waiting.reason.as_deref().unwrap_or("for something");
        let message = waiting.message.as_deref().map(|m| format!(": {m}"));
        return format!("waits: {reason}{}", message.unwrap_or_default());
    }
    let ended = state.terminated.as_ref();
    ended.map_or_else(
        || "is running but not ready".to_owned(),
        |end| format!("ended: {}", describe_end(end)),
    )
}

/// `OOMKilled, exit code 137`.
fn describe_end(end: &ContainerStateTerminated) -> String {
    let code = format!("exit code {}", end.exit_code);
    let reason = end.reason.as_deref().filter(|r| !r.is_empty());
    reason.map_or(code.clone(), |reason| format!("{reason}, {code}"))
}
