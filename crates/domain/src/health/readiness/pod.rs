//! Why a pod is not ready.

use api::PodClique;
use api::conditions::Reason;
use jiff::Timestamp;

use super::cause::Cause;
use super::container;
use super::gang::Start;
use super::scheduler::explain_unscheduled;
use super::state_input::StateInput;
use super::states::find_state;
use crate::Pod;
use crate::health::training;
use crate::object::pod::PodClaim;

/// Prefix of Kueue's scheduling gates.
const KUEUE_GATES: &str = "kueue.x-k8s.io/";

/// Kueue's pod integration takes single pods unless it knows that their owners are of another framework.
const KUEUE_REMEDY: &str = "list `PodCliqueSet.v1alpha1.grove.io`, \
    `PodCliqueScalingGroup.v1alpha1.grove.io` and `PodClique.v1alpha1.grove.io` under \
    `integrations.externalFrameworks` in Kueue's configuration: `kubectl edit configmap \
    kueue-manager-config -n kueue-system`, then `kubectl rollout restart deployment \
    kueue-controller-manager -n kueue-system`; a pod keeps the gate until `kubectl delete pod POD -n \
    NAMESPACE`, and its successor has none";

/// The inputs of a pod's cause besides the pod.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The start of its gang.
    pub start: &'a Start,
    /// Whether it belongs to a job, whose pods end.
    pub is_training: bool,
    /// The time, for states that are reported only after a while.
    pub now: Timestamp,
}

impl<'a> Setting<'a> {
    /// The setting of the pods of a PodClique, if the PodClique is known.
    pub fn of(podclique: Option<&'a PodClique>, start: &'a Start, now: Timestamp) -> Self {
        Self {
            start,
            is_training: podclique.is_some_and(training::is_of_job),
            now,
        }
    }
}

/// Why the pod is not ready; `None` if it is, or has done its work.
pub fn find_cause(pod: &Pod, setting: &Setting<'_>) -> Option<Cause> {
    let is_done = setting.is_training && (pod.is_completed() || pod.is_finishing());
    if pod.is_ready() || is_done {
        return None;
    }
    let input = StateInput::of_pod(pod, setting.now);
    if input.has_ended() {
        return find_state(&input);
    }
    Some(if pod.is_scheduled() {
        container::find_cause(pod, setting)
    } else {
        unplaced(pod, setting)
    })
}

/// The pod holds the index of its successor until it is gone.
pub fn leaving(pod: &Pod) -> Cause {
    let node = pod.spec.node_name.as_deref();
    let place = node.map_or(String::new(), |n| format!(" on node {n}"));
    let text = format!("{} is still terminating{place}", pod.name());
    Cause::new(Reason::PodTerminating, text)
}

/// With our gate the gang waits, with another gate the pod does; without gates the scheduler has to
/// act.
fn unplaced(pod: &Pod, setting: &Setting<'_>) -> Cause {
    let is_ours = pod.gate_position().is_some();
    if let (true, Some(cause)) = (is_ours, setting.start.explain_gate(pod)) {
        return cause;
    }
    if pod.is_gated() && !is_ours {
        return gated(pod);
    }
    unschedulable(pod, setting).unwrap_or_else(|| {
        let (scheduler, name) = (pod.scheduler_name(), pod.name());
        let claims = describe_claims(pod);
        let text = format!("no scheduler named {scheduler} has picked up {name} yet{claims}");
        Cause::new(Reason::WaitingForScheduler, text)
    })
}

fn gated(pod: &Pod) -> Cause {
    let gates: Vec<&str> = pod.spec.scheduling_gates.iter().map(|g| &*g.name).collect();
    let text = format!(
        "{} waits for another controller to remove scheduling gate {}",
        pod.name(),
        gates.join(", ")
    );
    let is_of_kueue = gates.iter().any(|gate| gate.starts_with(KUEUE_GATES));
    Cause {
        remedy: is_of_kueue.then_some(KUEUE_REMEDY),
        ..Cause::new(Reason::ForeignSchedulingGate, text)
    }
}

/// What the scheduler says, or its PodGang: other pods may say more about the gang.
fn unschedulable(pod: &Pod, setting: &Setting<'_>) -> Option<Cause> {
    let sentence = explain_unscheduled(pod)?;
    let must_share = setting.start.must_share_domain();
    let input = StateInput::of_pod(pod, setting.now).refused(&sentence, must_share);
    let own = find_state(&input)?;
    Some(setting.start.tell(own))
}

/// A scheduler reports nothing at all about a pod while one of its claims is missing (Kubernetes,
/// plugin `DynamicResources`).
fn describe_claims(pod: &Pod) -> String {
    const MAX_LISTED: usize = 3;
    let claims = &pod.spec.resource_claims;
    if claims.is_empty() {
        return String::new();
    }
    let named: Vec<String> = claims
        .iter()
        .take(MAX_LISTED)
        .map(PodClaim::describe)
        .collect();
    let more = match claims.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "; it names {}{more}: a scheduler says nothing of a pod whose claim is missing or being \
         deleted",
        named.join(", ")
    )
}
