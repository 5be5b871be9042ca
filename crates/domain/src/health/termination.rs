//! Gang termination (docs/semantics.md §3): how long a breach may last, and what is reported of it.
//!
//! A timer is data: the stored time since when something is breached, plus the delay. It fires at
//! that time and never before, also if the operator was restarted meanwhile.

use api::conditions::{ConditionUpdate, Status};
use api::podcliqueset::{PodCliqueScalingGroupConfig, ReplicaAttempt};
use api::{GoDuration, PodCliqueSet, WorkloadType, events};
use jiff::{SignedDuration, Timestamp};

use super::availability::{self, StoredBreach};
use super::culprit::Culprit;
use super::fence::{self, Cause};
use super::training;
use crate::plan::{Event, Target};

/// The shortest delay. Times are stored in whole seconds: less than one would be none, and pods need
/// time to come back.
pub const SHORTEST: SignedDuration = SignedDuration::from_secs(1);

/// How long a breach may last in the set; `None`: gang termination is off, which is the default. An
/// invalid delay counts as none.
pub fn delay_of_set(set: &PodCliqueSet) -> Option<SignedDuration> {
    let given = set.spec.template.termination_delay.as_ref();
    given.filter(|_| is_inference(set)).and_then(usable)
}

fn is_inference(set: &PodCliqueSet) -> bool {
    set.spec.workload_type.unwrap_or_default() == WorkloadType::Inference
}

/// How long a breach may last in a scaling group: its own delay, else that of the set. Without the
/// set's delay there is none.
pub fn delay_of_group(
    set: &PodCliqueSet,
    group: &PodCliqueScalingGroupConfig,
) -> Option<SignedDuration> {
    own_or_inherited(Some(group), delay_of_set(set))
}

fn own_or_inherited(
    group: Option<&PodCliqueScalingGroupConfig>,
    of_set: Option<SignedDuration>,
) -> Option<SignedDuration> {
    let of_set = of_set?;
    match group.and_then(|g| g.termination_delay.as_ref()) {
        Some(own) => usable(own),
        None => Some(of_set),
    }
}

/// How long a PodClique of a job may be breached; none at all by default. A group's own delay wins
/// for its cliques. What makes no sense counts as none at all.
pub fn delay_of_job(
    set: &PodCliqueSet,
    group: Option<&PodCliqueScalingGroupConfig>,
) -> SignedDuration {
    let own = group.and_then(|g| g.termination_delay.as_ref());
    let given = own.or(set.spec.template.termination_delay.as_ref());
    given.and_then(usable).unwrap_or_default()
}

/// For how long a breach that has ended may come back as the same one, in a standalone clique or
/// in that group. The set may be as stored: `default` is the delay of the operator's configuration
/// for sets that name none.
pub fn memory(
    set: &PodCliqueSet,
    group: Option<&PodCliqueScalingGroupConfig>,
    default: Option<&GoDuration>,
) -> SignedDuration {
    if training::is_training(set) {
        return availability::memory(Some(delay_of_job(set, group)));
    }
    let given = set.spec.template.termination_delay.as_ref().or(default);
    availability::memory(own_or_inherited(group, given.and_then(usable)))
}

fn usable(delay: &GoDuration) -> Option<SignedDuration> {
    delay.parse().ok().filter(|d| *d >= SHORTEST)
}

/// When a breach of that age has lasted for the delay.
pub fn due(since: Timestamp, delay: SignedDuration) -> Timestamp {
    since.checked_add(delay).unwrap_or(Timestamp::MAX)
}

/// A breach that is stored and holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Index of the replica that is terminated for it.
    pub replica: i32,
    /// The PodClique or scaling group.
    pub object: Target,
    /// Since when, as stored.
    pub since: Timestamp,
    /// How long it may last.
    pub delay: SignedDuration,
    /// Numbers and the worst pod.
    pub numbers: String,
    /// Whether the cluster took that pod away.
    pub is_disruption: bool,
}

impl Breach {
    /// The breach of an object, if what is stored says so and so does what is seen now: a stored
    /// condition may be older than the pods. Nothing is looked at where none is stored.
    pub fn confirmed(
        replica: i32,
        object: Target,
        delay: SignedDuration,
        stored: StoredBreach<'_>,
        seen: impl FnOnce() -> ConditionUpdate,
    ) -> Option<Self> {
        let since = stored.since()?;
        let seen = seen();
        (seen.status == Status::True).then_some(Self {
            replica,
            object,
            since,
            delay,
            numbers: seen.message,
            is_disruption: false,
        })
    }

    /// The same with what is known of the pod that is behind it.
    #[must_use]
    pub fn caused_by(self, culprit: Option<&Culprit>) -> Self {
        Self {
            is_disruption: culprit.is_some_and(|c| c.is_disruption),
            ..self
        }
    }

    /// The same without a delay: waiting changes nothing.
    #[must_use]
    pub fn due_at_once(self) -> Self {
        Self {
            delay: SignedDuration::ZERO,
            ..self
        }
    }

    /// When the replica is terminated.
    pub fn due(&self) -> Timestamp {
        due(self.since, self.delay)
    }

    /// What the fence says.
    pub fn cause(&self) -> Cause {
        Cause {
            reason: ReplicaAttempt::BREACHED.to_owned(),
            message: format!(
                "{self}; MinAvailableBreached since {:.0}, terminationDelay {}",
                self.since,
                words(self.delay)
            ),
        }
    }

    /// The event that announces the termination. `replica` names what will be terminated.
    pub fn scheduled_event(&self, replica: &str) -> Event {
        let message = format!(
            "{replica} is terminated at {:.0} unless it recovers: {self}",
            self.due()
        );
        Event::warning(events::GANG_TERMINATION_SCHEDULED, message).once(format!(
            "{}/{}/{}",
            self.object.uid,
            self.since,
            self.due()
        ))
    }
}

impl std::fmt::Display for Breach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {}: {}",
            self.object.kind, self.object.key.name, self.numbers
        )
    }
}

fn words(delay: SignedDuration) -> String {
    if delay.subsec_nanos() == 0 {
        GoDuration::from_seconds(delay.as_secs()).to_string()
    } else {
        format!("{}ms", delay.as_millis())
    }
}

/// The breach of each replica that is due first, by replica.
pub fn first_of_each_replica(breaches: Vec<Breach>) -> Vec<Breach> {
    let mut breaches = breaches;
    breaches.sort_by(|a, b| {
        let order = |b: &Breach| (b.replica, b.due());
        (order(a), &a.object.key.name).cmp(&(order(b), &b.object.key.name))
    });
    breaches.dedup_by_key(|b| b.replica);
    breaches
}

/// Whether the attempt was raised by a breach and its events have to be posted: until the replica
/// is complete again, the last time by the plan that stores that it is. So they are posted however
/// long the operator was away, and not again later (decision 61).
pub fn needs_events(fence: &ReplicaAttempt) -> bool {
    fence.reason == ReplicaAttempt::BREACHED && fence::is_incomplete(fence)
}

/// The event that a replica was terminated. `uid` is that of the set or group, `replica` names the
/// replica.
pub fn terminated_event(fence: &ReplicaAttempt, uid: &str, replica: &str) -> Event {
    let message = format!("{replica} was terminated: {}", fence.message);
    Event::warning(events::GANG_TERMINATED, message).once(identity(fence, uid))
}

/// What makes an event of a fence one: the fenced object, the replica, the attempt.
pub fn identity(fence: &ReplicaAttempt, uid: &str) -> String {
    format!("{uid}/{}/{}", fence.replica, fence.attempt)
}
