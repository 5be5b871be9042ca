//! The state of a pod, in the words of `kubectl get pods`.

use api::labels;
use domain::object::ownership;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};

/// Index of a pod in its PodClique; a pod without one was created by hand.
pub fn index_of(pod: &Pod) -> Option<i32> {
    ownership::label_index(&pod.metadata, labels::POD_INDEX)
}

/// Rank of a pod: in a scaling group the value of `GROVE_PCSG_POD_INDEX` in its containers, elsewhere its
/// index.
pub fn rank_of(pod: &Pod) -> Option<i32> {
    if ownership::label(&pod.metadata, labels::SCALING_GROUP).is_none() {
        return index_of(pod);
    }
    ownership::label_index(&pod.metadata, labels::SCALING_GROUP_POD_INDEX)
}

/// Whether its condition of that type is True.
pub fn has_condition(pod: &Pod, type_: &str) -> bool {
    let status = pod.status.as_ref();
    status
        .and_then(|s| s.conditions.as_ref())
        .into_iter()
        .flatten()
        .any(|c| c.type_ == type_ && c.status == "True")
}

/// Whether it is Ready, and not being deleted.
pub fn is_ready(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_none() && has_condition(pod, "Ready")
}

/// The node that it is on.
pub fn node_of(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref()
}

/// Its host name.
pub fn host_of(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.hostname.as_deref()
}

/// One word: the deletion, else the reason of a waiting or ended container, else a reason of the
/// pod or its phase.
pub fn word(pod: &Pod) -> String {
    if pod.metadata.deletion_timestamp.is_some() {
        return "Terminating".to_owned();
    }
    let phase = phase_of(pod);
    if phase == "Pending" && is_gated(pod) {
        return "SchedulingGated".to_owned();
    }
    let of_container = container_word(pod);
    of_container
        .or_else(|| pod.status.as_ref()?.reason.clone())
        .unwrap_or_else(|| {
            if phase == "Succeeded" {
                "Completed"
            } else {
                phase
            }
            .to_owned()
        })
}

/// Its phase; `Unknown` without one.
pub fn phase_of(pod: &Pod) -> &str {
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    phase.unwrap_or("Unknown")
}

/// Whether any gate keeps the scheduler away.
pub fn is_gated(pod: &Pod) -> bool {
    let gates = pod.spec.as_ref().and_then(|s| s.scheduling_gates.as_ref());
    gates.is_some_and(|gates| !gates.is_empty())
}

fn container_word(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let of_init = status
        .init_container_statuses
        .iter()
        .flatten()
        .filter_map(trouble)
        .map(|word| format!("Init:{word}"));
    let app = status
        .container_statuses
        .iter()
        .flatten()
        .filter_map(trouble);
    of_init.chain(app).next()
}

/// The problem of a container.
fn trouble(container: &ContainerStatus) -> Option<String> {
    let state = container.state.as_ref()?;
    if let Some(waiting) = &state.waiting {
        let reason = waiting.reason.clone();
        return reason.filter(|r| r != "PodInitializing");
    }
    let ended = state.terminated.as_ref().filter(|t| t.exit_code != 0)?;
    let code = format!("ExitCode:{}", ended.exit_code);
    Some(ended.reason.clone().unwrap_or(code))
}
