//! A container that crashes runs for a while between two crashes, and its pod may be Ready for
//! moments. The reason of the cause stays the same until the pod has been Ready for long enough.

use api::conditions::{ConditionUpdate, Reason, Status};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::cause::Cause;
use super::container;
use crate::Pod;
use crate::object::pod::ContainerStatus;

/// A crash loop is over once the pod has been in another state for this long.
pub const SETTLED_AFTER: SignedDuration = SignedDuration::from_secs(10);

/// Why a Ready pod may be about to crash again: one of its containers was started again a moment ago
/// after it had ended by itself.
pub fn find_unsettled(pod: &Pod, now: Timestamp) -> Option<Cause> {
    let is_ready = pod.is_ready();
    let container = unsettled(pod, now).filter(|_| is_ready)?;
    let cause = container::explain(pod, container, now);
    (cause.reason == Reason::CrashLoop).then_some(cause)
}

/// When the first of the Ready pods that are not settled is, unless it crashes again.
pub fn next_settled<'a>(
    pods: impl IntoIterator<Item = &'a Pod>,
    now: Timestamp,
) -> Option<Timestamp> {
    pods.into_iter()
        .filter_map(|pod| {
            find_unsettled(pod, now)?;
            settles_at(unsettled(pod, now)?)
        })
        .min()
}

fn unsettled(pod: &Pod, now: Timestamp) -> Option<&ContainerStatus> {
    let mut containers = pod.containers();
    containers.find(|c| settles_at(c).is_some_and(|at| at > now))
}

fn settles_at(container: &ContainerStatus) -> Option<Timestamp> {
    let started = container.state.running.as_ref()?.started_at.as_ref()?;
    let was_restarted = container.last_state.terminated.is_some();
    let at = started.0.checked_add(SETTLED_AFTER).ok()?;
    was_restarted.then_some(at)
}

/// The verdict while pods that count as available are not settled. `before`: the stored condition;
/// `are_enough`: the settled pods suffice; `cause`: why the others would crash.
pub fn hold(
    before: Option<&Condition>,
    verdict: ConditionUpdate,
    are_enough: bool,
    cause: Option<Cause>,
) -> ConditionUpdate {
    let was_for = |reason: Reason| {
        before.is_some_and(|c| c.status == "False" && c.reason == reason.to_string())
    };
    match cause {
        Some(cause) if verdict.status == Status::True && !are_enough && was_for(cause.reason) => {
            ConditionUpdate {
                status: Status::False,
                reason: cause.reason,
                message: cause.text,
                ..verdict
            }
        }
        Some(cause) if verdict.reason == Reason::AllReady => ConditionUpdate {
            reason: Reason::MinimumReady,
            message: format!("{}; {}", verdict.message, cause.text),
            ..verdict
        },
        _ => verdict,
    }
}
