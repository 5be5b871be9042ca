//! What a pod lacks.

use api::conditions::Reason;

use super::cause::Cause;
use super::gang::Start;
use super::{container, scheduler};
use crate::Pod;

/// Why the pod is not ready, `waits_for` being the name of its scheduler; `None` if it is, or has done
/// its work.
pub fn find_cause(pod: &Pod, start: &Start, waits_for: &str) -> Option<Cause> {
    if pod.is_ready() || pod.is_completed() {
        return None;
    }
    Some(if pod.is_finished() {
        Cause::new(
            Reason::PodFailed,
            format!("{} {}", pod.name(), describe_end(pod)),
        )
    } else if pod.is_scheduled() {
        container::find_cause(pod)
    } else {
        unplaced(pod, start, waits_for)
    })
}

/// The pod takes the place of its successor until it is gone.
pub fn leaving(pod: &Pod) -> Cause {
    let node = pod.spec.node_name.as_deref();
    let place = node.map_or(String::new(), |n| format!(" on node {n}"));
    let text = format!("{} is still terminating{place}", pod.name());
    Cause::new(Reason::PodTerminating, text)
}

/// How a pod ended that should not have ended.
fn describe_end(pod: &Pod) -> String {
    let code = pod.failure().map(|t| format!("exit code {}", t.exit_code));
    let reason = pod.failure().and_then(|t| t.reason.clone());
    let reason = reason.or_else(|| pod.status.reason.clone());
    let message = pod.status.message.clone();
    let words: Vec<String> = [reason, code, message].into_iter().flatten().collect();
    match words.join(", ").as_str() {
        "" => "ended".to_owned(),
        words => format!("ended: {words}"),
    }
}

/// Behind our gate it is the gang that waits, behind another one the pod; after that it is the
/// scheduler's turn.
fn unplaced(pod: &Pod, start: &Start, waits_for: &str) -> Cause {
    let is_ours = pod.gate_position().is_some();
    if let (true, Some(cause)) = (is_ours, start.find_cause()) {
        return cause;
    }
    if pod.is_gated() && !is_ours {
        return gated(pod);
    }
    unschedulable(pod).unwrap_or_else(|| {
        let text = format!("scheduler {waits_for} has not looked at {} yet", pod.name());
        Cause::new(Reason::WaitingForScheduler, text)
    })
}

fn gated(pod: &Pod) -> Cause {
    let gates: Vec<&str> = pod.spec.scheduling_gates.iter().map(|g| &*g.name).collect();
    let text = format!(
        "{} waits for whoever set scheduling gate {}",
        pod.name(),
        gates.join(", ")
    );
    Cause::new(Reason::ForeignSchedulingGate, text)
}

/// The scheduler's message when it found no node.
fn unschedulable(pod: &Pod) -> Option<Cause> {
    let refused = pod.status.conditions.iter().find(|c| {
        let is_gated = c.reason.as_deref() == Some("SchedulingGated");
        c.type_ == "PodScheduled" && c.status == "False" && !is_gated
    });
    let message = refused?.message.as_deref()?;
    (!message.is_empty()).then(|| scheduler::refusal(message))
}
