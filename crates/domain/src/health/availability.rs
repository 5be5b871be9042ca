//! When a clique or a scaling group is below its minimum: docs/semantics.md §2.2 and §2.4, used by
//! the controllers that report a breach and, again, by those that act on one.

mod age;
pub mod crash_loop;
mod facts;
mod observed;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};

use crate::Pod;

pub use age::{Ended, StoredBreach, memory};
pub use facts::{CliqueFacts, GroupFacts, TrainingFacts};
pub use observed::{GroupPart, is_back, is_established, scaled_in_replicas, was_idle};

/// The message of an object that has no pods on purpose.
const HELD: &str = "the PodCliqueSet is suspended";

/// `MinAvailableBreached` of a PodClique: the first row that applies.
pub fn clique_breach(facts: &CliqueFacts) -> ConditionUpdate {
    let minimum = facts.minimum();
    let training = facts.training.as_ref();
    let has_succeeded = training.is_some_and(|t| t.has_succeeded);
    let is_held = facts.is_held && !has_succeeded;
    let has_given_up = facts.has_given_up() && !has_succeeded && !is_held;
    let (status, reason) = if is_held {
        (Status::False, why_held(facts).0)
    } else if has_given_up {
        (Status::True, Reason::PodKeepsFailing)
    } else if has_succeeded || facts.available >= minimum {
        (Status::False, Reason::SufficientReadyPods)
    } else if training.is_some_and(|t| facts.replicas - t.failed < minimum) {
        (Status::True, Reason::InsufficientReadyPods)
    } else if !facts.is_established() {
        (Status::False, Reason::NeverAvailable)
    } else if facts.is_updating {
        (Status::Unknown, Reason::UpdateInProgress)
    } else if facts.restarts_in_place() {
        (Status::False, Reason::RestartsInPlace)
    } else {
        (Status::True, Reason::InsufficientReadyPods)
    };
    let (status, reason) = if status == Status::True && facts.is_orphaned {
        (Status::Unknown, Reason::Orphaned)
    } else {
        (status, reason)
    };
    let have = if training.is_some() {
        "available"
    } else {
        "ready"
    };
    // Surge pods are beyond `replicas`.
    let available = facts.available.min(facts.replicas);
    let mut message = tally(available, minimum, "pods", have);
    if has_given_up {
        let failures = Pod::FAILURES_IN_A_ROW;
        message = format!("{message}; a pod failed {failures} times in a row");
    }
    if is_held {
        why_held(facts).1.clone_into(&mut message);
    } else if facts.available < minimum || has_given_up {
        message = with_causes(message, facts);
    }
    ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason,
        message,
    }
}

/// Why a PodClique has no pods on purpose.
fn why_held(facts: &CliqueFacts) -> (Reason, &'static str) {
    if facts.awaits_quota {
        return (Reason::QuotaEvicted, "its gang has lost its quota");
    }
    (Reason::Suspended, HELD)
}

/// Adds the loss that began the breach, and the trouble that keeps the other pods from being up
/// now.
fn with_causes(message: String, facts: &CliqueFacts) -> String {
    let cause = facts.cause.as_ref().map(|c| c.text.as_str());
    let now = facts.culprit.as_ref().map(|c| c.text.as_str());
    match (cause, now.filter(|now| cause != Some(*now))) {
        (None, None) => message,
        (None, Some(text)) | (Some(text), None) => format!("{message}; {text}"),
        (Some(cause), Some(now)) => format!("{message}; {cause}; now {now}"),
    }
}

/// `PodCliqueScheduled` (docs/semantics.md §2.3).
pub fn clique_scheduled(scheduled: i32, minimum: i32) -> ConditionUpdate {
    let is_enough = scheduled >= minimum;
    let reason = if is_enough {
        Reason::SufficientScheduledPods
    } else {
        Reason::InsufficientScheduledPods
    };
    ConditionUpdate {
        type_: ConditionType::PodCliqueScheduled,
        status: is_enough.into(),
        reason,
        message: tally(scheduled, minimum, "pods", "scheduled"),
    }
}

/// `MinAvailableBreached` of a scaling group.
pub fn group_breach(facts: &GroupFacts) -> ConditionUpdate {
    let (minimum, healthy) = (facts.minimum(), facts.healthy());
    let (status, reason) = if facts.is_held {
        (Status::False, Reason::Suspended)
    } else if healthy >= minimum {
        (
            Status::False,
            Reason::SufficientAvailablePodCliqueScalingGroupReplicas,
        )
    } else if facts.is_updating {
        (Status::Unknown, Reason::UpdateInProgress)
    } else {
        (
            Status::True,
            Reason::InsufficientAvailablePodCliqueScalingGroupReplicas,
        )
    };
    let mut message = tally(healthy, minimum, "group replicas", "healthy");
    if facts.is_held {
        HELD.clone_into(&mut message);
    } else if !facts.unhealthy.is_empty() {
        let list: Vec<String> = facts
            .unhealthy
            .iter()
            .take(5)
            .map(ToString::to_string)
            .collect();
        message = format!("{message}; unhealthy: {}", list.join(", "));
    }
    ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason,
        message,
    }
}

/// `ScaledBelowMinAvailable`: `spec.replicas` is below the minimum, which is not a breach.
pub fn scaled_below_minimum(replicas: i32, min_available: i32) -> Option<ConditionUpdate> {
    (replicas < min_available).then(|| ConditionUpdate {
        type_: ConditionType::ScaledBelowMinAvailable,
        status: Status::True,
        reason: Reason::ReplicasBelowMinAvailable,
        message: format!(
            "spec.replicas: {replicas} is below minAvailable {min_available}; \
             {replicas} is the minimum until it is scaled up again"
        ),
    })
}

fn tally(have: i32, need: i32, things: &str, what: &str) -> String {
    if have < need {
        format!("{have} of {need} required {things} {what}")
    } else {
        format!("{things} {what}: {have}, required: {need}")
    }
}
