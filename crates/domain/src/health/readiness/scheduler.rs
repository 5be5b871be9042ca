//! The words of schedulers about pods that they did not place.

use std::borrow::Cow;

use api::conditions::Reason;

use super::no_domain::{NoDomain, count_tried, minimum_of, of_kai, of_kubernetes};
use super::state_input::StateInput;
use crate::Pod;
use crate::topology;

/// Whether the scheduler found no topology domain for the pods that this one has to be with.
/// Kubernetes says nothing else of a group without a constraint: `must_share` says whether there is
/// one.
pub fn find_no_domain(pod: &Pod, must_share: bool) -> Option<NoDomain<'_>> {
    let message = refusal_of(pod)?;
    let kubernetes = || of_kubernetes(message).filter(|_| must_share);
    of_kai(message).or_else(kubernetes)
}

/// Whether the pod finds no room on the nodes to which the operator has pinned it, where others of
/// its scope run.
pub fn has_no_room_at_pin(pod: &Pod) -> bool {
    let Some(message) = refusal_of(pod) else {
        return false;
    };
    let says = |words: &str| message.contains(words);
    // The pin alone excludes the nodes of all other domains.
    let by_selector = says("node affinity/selector") && !says("untolerated taint");
    (says("Insufficient ") || by_selector) && !topology::pin_of(pod).is_empty()
}

/// Whether it is a reason for which a scheduler finds no node.
pub fn is_of_scheduler(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::TopologyNoDomain
            | Reason::NodeSelectorUnmatched
            | Reason::InsufficientResources
            | Reason::Unschedulable
    )
}

/// Whether the scheduler found no node for the pod.
pub fn is_refused(pod: &Pod) -> bool {
    refusal_of(pod).is_some()
}

/// The scheduler's message when it found no node. The message of the stock scheduler continues with
/// the result of preemption; its first sentence is the cause. Of KAI's sentences about all domains
/// the best one counts. Other messages are passed on unchanged.
pub fn explain_unscheduled(pod: &Pod) -> Option<Cow<'_, str>> {
    let message = refusal_of(pod)?;
    if let Some(found) = of_kai(message) {
        return Some(Cow::Owned(found.describe(None)));
    }
    let sentence = message.split(". ").next().unwrap_or(message);
    Some(Cow::Borrowed(sentence.trim_end_matches('.')))
}

/// The whole message of the scheduler about a pod without a node.
fn refusal_of(pod: &Pod) -> Option<&str> {
    let refused = pod.find_condition("PodScheduled").filter(|c| {
        let is_gated = c.reason.as_deref() == Some("SchedulingGated");
        c.status == "False" && !is_gated
    });
    refused?.message.as_deref().filter(|m| !m.is_empty())
}

/// Whether the stock scheduler reports of a pod that no node has room for its whole group (1.37).
pub(super) fn is_of_group(sentence: &str) -> bool {
    sentence.starts_with("pod group is unschedulable")
}

/// The numbers count only if they are of the only placement, and if the scheduler tried all pods:
/// it stops at the first pod that makes the minimum impossible.
pub(super) fn describe_group(input: &StateInput<'_>) -> String {
    let numbers = || {
        let message = input.refusal?;
        let (minimum, rest) = minimum_of(message)?;
        let (found, rest) = rest.split_once(" scheduled, ")?;
        let is_whole = count_tried(message) == Some(1) && rest.starts_with("0 remaining");
        is_whole.then(|| format!(": {found} of {minimum} found a place"))
    };
    let numbers = numbers().unwrap_or_default();
    format!("there is no room for all pods that must be placed together{numbers}")
}

/// The pods have to share a domain.
pub(super) fn describe_no_domain(input: &StateInput<'_>) -> String {
    let found = find_no_domain(input.pod, input.must_share_domain);
    found.map_or_else(String::new, |found| found.describe(None))
}

/// The pod has to join others.
pub(super) fn describe_pin(input: &StateInput<'_>) -> String {
    let pin = topology::pin_of(input.pod);
    let labels: Vec<String> = pin
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let (name, labels) = (input.pod.name(), labels.join(","));
    let words = input.refusal.unwrap_or_default();
    format!("{name} has to join the pods on nodes with {labels}, which have no room: {words}")
}
