//! When a clique or a scaling group is below its minimum: the tables of the design, §3, used by
//! the controllers that report a breach and, again, by those that act on one.

mod age;
pub mod crash_loop;
mod observed;

use api::conditions::{ConditionType, Reason, Status, Verdict};

pub use age::{Ended, StoredBreach, memory};
pub use observed::{GroupPart, is_back};

/// What the breach condition of a PodClique depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CliqueFacts {
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.minAvailable`, not clipped.
    pub min_available: i32,
    /// Pods Ready and not terminating; for training also completed and finishing ones.
    pub available: i32,
    /// `status.wasAvailable`.
    pub was_available: bool,
    /// Whether this PodClique's replica is the one being updated.
    pub is_updating: bool,
    /// Only for training.
    pub training: Option<TrainingFacts>,
    /// The worst pod and its trouble, e.g. `worker-1: CrashLoopBackOff`.
    pub worst_pod: Option<String>,
}

/// What matters for training in addition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingFacts {
    /// Whether all work of the clique is done.
    pub has_succeeded: bool,
    /// Pods in phase Failed.
    pub failed: i32,
}

impl CliqueFacts {
    /// How many pods have to be available: never more than are wanted, so that scaling below
    /// `minAvailable` is not a breach.
    pub fn minimum(&self) -> i32 {
        self.min_available.min(self.replicas)
    }

    /// The latch after this observation (seed 000, "WasAvailable Gate"): set once the unclipped
    /// minimum is reached outside of an update, never taken back.
    pub fn latch(&self) -> bool {
        self.was_available || (self.available >= self.min_available && !self.is_updating)
    }
}

/// `MinAvailableBreached` of a PodClique: the first row that applies.
pub fn clique_breach(facts: &CliqueFacts) -> Verdict {
    let minimum = facts.minimum();
    let training = facts.training.as_ref();
    let (status, reason) =
        if training.is_some_and(|t| t.has_succeeded) || facts.available >= minimum {
            (Status::False, Reason::SufficientReadyPods)
        } else if training.is_some_and(|t| facts.replicas - t.failed < minimum) {
            (Status::True, Reason::InsufficientReadyPods)
        } else if !facts.was_available {
            (Status::False, Reason::NeverAvailable)
        } else if facts.is_updating {
            (Status::Unknown, Reason::UpdateInProgress)
        } else {
            (Status::True, Reason::InsufficientReadyPods)
        };
    let mut message = tally(facts.available, minimum, "pods", "ready");
    if let (true, Some(worst)) = (facts.available < minimum, &facts.worst_pod) {
        message = format!("{message}; {worst}");
    }
    Verdict {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason,
        message,
    }
}

/// `PodCliqueScheduled` (Grove, §4.4).
pub fn clique_scheduled(scheduled: i32, minimum: i32) -> Verdict {
    let is_enough = scheduled >= minimum;
    let reason = if is_enough {
        Reason::SufficientScheduledPods
    } else {
        Reason::InsufficientScheduledPods
    };
    Verdict {
        type_: ConditionType::PodCliqueScheduled,
        status: is_enough.into(),
        reason,
        message: tally(scheduled, minimum, "pods", "scheduled"),
    }
}

/// What the breach condition of a scaling group depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.minAvailable`, not clipped.
    pub min_available: i32,
    /// Group replicas that are breached, or recycled and not back yet.
    pub unhealthy: Vec<i32>,
    /// Whether this group's replica is the one being updated.
    pub is_updating: bool,
}

impl GroupFacts {
    /// How many group replicas have to be healthy: never more than are wanted.
    pub fn minimum(&self) -> i32 {
        self.min_available.min(self.replicas)
    }

    /// How many group replicas are healthy.
    pub fn healthy(&self) -> i32 {
        let unhealthy = i32::try_from(self.unhealthy.len()).unwrap_or(i32::MAX);
        self.replicas.saturating_sub(unhealthy)
    }
}

/// `MinAvailableBreached` of a scaling group.
pub fn group_breach(facts: &GroupFacts) -> Verdict {
    let (minimum, healthy) = (facts.minimum(), facts.healthy());
    let (status, reason) = if healthy >= minimum {
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
    if !facts.unhealthy.is_empty() {
        let list: Vec<String> = facts
            .unhealthy
            .iter()
            .take(5)
            .map(ToString::to_string)
            .collect();
        message = format!("{message}; unhealthy: {}", list.join(", "));
    }
    Verdict {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason,
        message,
    }
}

/// `ScaledBelowMinAvailable`: somebody asked for fewer than the minimum; not a breach.
pub fn scaled_below_minimum(replicas: i32, min_available: i32) -> Option<Verdict> {
    (replicas < min_available).then(|| Verdict {
        type_: ConditionType::ScaledBelowMinAvailable,
        status: Status::True,
        reason: Reason::ReplicasBelowMinAvailable,
        message: format!(
            "spec.replicas: {replicas} is below minAvailable {min_available}; \
             {replicas} count as enough until it is scaled up again"
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
