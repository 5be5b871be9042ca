//! Chooses the container of a pod on a node whose cause is reported.

use jiff::Timestamp;

use super::cause::{self, Cause};
use super::pod::Setting;
use super::start_order;
use super::state_input::StateInput;
use super::states::find_state;
use crate::Pod;
use crate::object::pod::ContainerStatus;

/// The first cause among the containers of a pod, else that of the pod as a whole.
pub(super) fn find_cause(pod: &Pod, setting: &Setting<'_>) -> Cause {
    let is_unready = |c: &&ContainerStatus| !c.ready && !is_done(pod, c, setting.is_training);
    let unready = || pod.containers().filter(is_unready);
    // The others start after it.
    if let Some(waits) = unready().find_map(|c| start_order::find_cause(pod, c)) {
        return waits;
    }
    let causes = unready().map(|c| explain(pod, c, setting.now));
    cause::first(causes).unwrap_or_else(|| {
        let of_pod = find_state(&StateInput::of_pod(pod, setting.now));
        of_pod.unwrap_or_else(Cause::being_created)
    })
}

/// The cause of the container.
pub(super) fn explain(pod: &Pod, container: &ContainerStatus, now: Timestamp) -> Cause {
    let found = find_state(&StateInput::of_pod(pod, now).at(container));
    let place = format!("{}: container {}: ", pod.name(), container.name);
    found.unwrap_or_else(Cause::being_created).within(&place)
}

/// Init containers end, and so do the app containers of a job that succeeds.
fn is_done(pod: &Pod, container: &ContainerStatus, is_training: bool) -> bool {
    let ended = container.state.terminated.as_ref();
    let is_good = ended.is_some_and(|t| t.exit_code == 0);
    is_good && (is_training || pod.is_init_container(&container.name))
}
