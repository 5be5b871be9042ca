//! Whether the containers of a clique's pods keep terminating. The rule reads the container
//! statuses of kubelets and the finished pods, so a restarted operator knows the answer at once.

use jiff::{SignedDuration, Timestamp};

use super::age::Ended;
use crate::Pod;
use crate::object::pod::{ContainerStatus, Terminated};

/// The clocks of nodes differ from the operator's, and it sees a crash some time after it happened.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

/// This many terminations since a breach began, including the one that began it, make a crash loop.
const LOOP: usize = 2;

/// Whether a breach that returns is the one that ended: containers of its pods terminated twice or
/// more since it began, and the last termination caused the return. A pod that merely was not Ready
/// never counts.
pub fn goes_on<'a>(pods: impl Iterator<Item = &'a Pod>, is_training: bool, ended: Ended) -> bool {
    let pods: Vec<&Pod> = pods.filter(|p| !p.is_terminating()).collect();
    let since = ended.since.checked_sub(SLACK).unwrap_or(Timestamp::MIN);
    let count: usize = pods
        .iter()
        .map(|p| terminations(p, is_training, since))
        .sum();
    let is_down = |p: &&&Pod| !p.is_ready() && is_down_by_its_end(p, is_training, ended.until);
    count >= LOOP && pods.iter().any(|p| is_down(&p))
}

/// Terminations since then that this pod shows: those of its containers, and of the pods that held
/// its index before it.
fn terminations(pod: &Pod, is_training: bool, since: Timestamp) -> usize {
    let of_containers: usize = counted(pod, is_training)
        .map(|(container, last)| of_container(container, last, since))
        .sum();
    let is_evicted = of_containers == 0 && is_end(pod, is_training);
    let evicted = is_evicted && pod.ended_at().is_some_and(|at| at >= since);
    of_containers + usize::from(evicted) + of_earlier_holders(pod, since)
}

/// The last end, and the end before it if the container was started again since.
fn of_container(container: &ContainerStatus, last: &Terminated, since: Timestamp) -> usize {
    let is_since = |time: &Option<_>| is_at_or_after(time.as_ref(), since);
    let running = i32::from(container.state.running.is_none());
    let in_all = container.restart_count.saturating_add(running);
    let was_started_since = in_all > 1 && is_since(&last.started_at);
    usize::from(is_since(&last.finished_at)) + usize::from(was_started_since)
}

/// A pod created since then at an index whose holder ended soon after its start.
fn of_earlier_holders(pod: &Pod, since: Timestamp) -> usize {
    let is_new = is_at_or_after(pod.metadata.creation_timestamp.as_ref(), since);
    usize::from(is_new && pod.earlier_failures() > 0)
}

/// Whether the pod is not Ready because it, or one of its containers, ended: it did not start again
/// yet, or the end was after that time.
fn is_down_by_its_end(pod: &Pod, is_training: bool, after: Timestamp) -> bool {
    let mut ends = counted(pod, is_training);
    let is_end_of_container = ends.any(|(container, last)| {
        container.state.running.is_none() || is_at_or_after(last.finished_at.as_ref(), after)
    });
    is_end_of_container || is_end(pod, is_training)
}

/// Whether the pod as a whole ended without having done its work.
fn is_end(pod: &Pod, is_training: bool) -> bool {
    pod.is_finished() && !(is_training && pod.is_completed())
}

/// Containers whose end counts, each with its last one. Init containers, and containers of a job,
/// end well when they have done their work; init containers that always restart never end well.
fn counted(pod: &Pod, is_training: bool) -> impl Iterator<Item = (&ContainerStatus, &Terminated)> {
    let init = pod
        .status
        .init_container_statuses
        .iter()
        .map(|c| (c, pod.is_init_container(&c.name)));
    let main = pod
        .status
        .container_statuses
        .iter()
        .map(move |c| (c, is_training));
    init.chain(main)
        .filter_map(|(container, may_end)| {
            let now = container.state.terminated.as_ref();
            let last = now.or(container.last_state.terminated.as_ref())?;
            Some((container, last, may_end))
        })
        .filter(|(_, last, may_end)| !may_end || last.exit_code != 0)
        .map(|(container, last, _)| (container, last))
}

fn is_at_or_after(
    time: Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::Time>,
    since: Timestamp,
) -> bool {
    time.is_some_and(|t| t.0 >= since)
}
