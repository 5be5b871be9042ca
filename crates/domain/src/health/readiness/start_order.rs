//! Why the init container of a pod with dependencies still waits.

use api::conditions::Reason;
use api::{labels, start_order};

use super::cause::Cause;
use crate::Pod;
use crate::object::ownership;
use crate::object::pod::ContainerStatus;

/// Whether the container is that init container and waits, as it should, for the pod's dependencies
/// or for the kubelet. The init container of a pod of the Go operator is recognized as well.
pub(super) fn find_cause(pod: &Pod, container: &ContainerStatus) -> Option<Cause> {
    let is_it = container.name == start_order::CONTAINER;
    // An init container that runs again, e.g. after its node restarted, does not wait.
    let is_first = container.last_state.terminated.is_none();
    let waits = is_it && container.state.running.is_some() && is_first;
    let text = || match pod.start_count() {
        0 => waits_for_others(pod),
        _ => waits_for_kubelet(pod),
    };
    waits.then(|| Cause::new(Reason::WaitingForStartOrder, text()))
}

fn waits_for_others(pod: &Pod) -> String {
    let pairs = ownership::annotation(&pod.metadata, labels::STARTS_AFTER).unwrap_or_default();
    let others: Vec<String> = pairs
        .split(',')
        .filter_map(|pair| pair.split_once(':'))
        .map(|(name, pods)| format!("{pods} of {name}"))
        .collect();
    let others = match others.as_slice() {
        [] => "others to be ready".to_owned(),
        some => format!("ready pods: {}", some.join(", ")),
    };
    format!("{} waits for {others}", pod.name())
}

/// The text has the time, not the duration, so it does not change while the state lasts.
fn waits_for_kubelet(pod: &Pod) -> String {
    let since = pod.may_start_since();
    let since = since.map_or(String::new(), |at| format!(" since {at}"));
    format!(
        "{} may start{since}; its kubelet has not passed the start signal to the container yet",
        pod.name()
    )
}
