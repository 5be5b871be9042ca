//! What the init container of a pod that starts after others waits for.

use api::conditions::Reason;
use api::{labels, start_order};

use super::cause::Cause;
use crate::Pod;
use crate::object::ownership;
use crate::object::pod::ContainerStatus;

/// The container is that one and waits, as it should: for those that the pod starts after, or for
/// the kubelet. That of a pod of the Go operator as well.
pub(super) fn find_cause(pod: &Pod, container: &ContainerStatus) -> Option<Cause> {
    let is_it = container.name == start_order::CONTAINER;
    // One that runs again, as after its node restarted, lets go at once.
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
    let pairs = pairs.split(',').filter_map(|pair| pair.split_once(':'));
    let others: Vec<String> = pairs
        .map(|(name, pods)| format!("{pods} of {name}"))
        .collect();
    let others = match others.as_slice() {
        [] => "others to be ready".to_owned(),
        some => format!("ready pods: {}", some.join(", ")),
    };
    format!("{} waits for {others}", pod.name())
}

/// The time, not how long ago that is: the text does not change while it lasts.
fn waits_for_kubelet(pod: &Pod) -> String {
    let since = pod.may_start_since();
    let since = since.map_or(String::new(), |at| format!(" since {at}"));
    format!(
        "{} may start{since}; its kubelet has not shown it to the container yet",
        pod.name()
    )
}
