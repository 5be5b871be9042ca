//! Gang termination (docs/semantics.md §3): how long a breach may last, and how it is reported.
//!
//! A timer is data: the stored time of the breach plus the delay. It fires at that time and never
//! before, also if the operator was restarted meanwhile.

use api::conditions::{ConditionUpdate, Status};
use api::podcliqueset::{PodCliqueScalingGroupConfig, ReplicaAttempt};
use api::{GoDuration, PodCliqueSet, WorkloadType, events};
use jiff::{SignedDuration, Timestamp};

use super::availability::{self, StoredBreach};
use super::culprit::{Blamed, Culprit};
use super::fence::{self, AttemptCause};
use super::training;
use crate::object::text;
use crate::plan::{Event, Target};
use crate::update;

/// The shortest delay. Times are stored in whole seconds: a shorter delay would be none, and pods
/// need time to come back.
pub const SHORTEST: SignedDuration = SignedDuration::from_secs(1);

/// How long a breach may last in the set; `None`: gang termination is off, which is the default. An
/// invalid delay counts as unset.
pub fn delay_of_set(set: &PodCliqueSet) -> Option<SignedDuration> {
    let given = set.spec.template.termination_delay.as_ref();
    given.filter(|_| is_inference(set)).and_then(usable)
}

fn is_inference(set: &PodCliqueSet) -> bool {
    set.spec.workload_type.unwrap_or_default() == WorkloadType::Inference
}

/// How long a breach may last in a scaling group: its own delay, else the delay of the set. Without
/// the set's delay there is none.
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

/// How long a PodClique of a job may be breached; by default not at all. A group's own delay has
/// precedence for its cliques. An invalid delay counts as not at all.
pub fn delay_of_job(
    set: &PodCliqueSet,
    group: Option<&PodCliqueScalingGroupConfig>,
) -> SignedDuration {
    let own = group.and_then(|g| g.termination_delay.as_ref());
    let given = own.or(set.spec.template.termination_delay.as_ref());
    given.and_then(usable).unwrap_or_default()
}

/// For how long a breach that has ended may return as the same breach, in a standalone clique or in
/// that group. The set may be as stored: `default` is the delay of the operator's configuration for
/// sets without their own.
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

/// When a breach that began then has lasted for the delay.
pub fn due(since: Timestamp, delay: SignedDuration) -> Timestamp {
    since.checked_add(delay).unwrap_or(Timestamp::MAX)
}

/// The stored fact that begins the delay of a termination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display)]
pub enum BreachFact {
    /// The condition of that name is True.
    #[default]
    MinAvailableBreached,
    /// An update found no room for pods that have to run.
    #[strum(serialize = "without room")]
    WithoutRoom,
}

/// A breach that is stored and holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Index of the replica that it terminates.
    pub replica: i32,
    /// The PodClique or scaling group.
    pub object: Target,
    /// When it began, as stored.
    pub since: Timestamp,
    /// How long it may last.
    pub delay: SignedDuration,
    /// Numbers and the culprit.
    pub numbers: String,
    /// The stored fact that `since` belongs to.
    pub fact: BreachFact,
    /// Whether the cluster took the culprit away.
    pub is_disruption: bool,
    /// The pod that it goes back to, if one is known.
    pub blamed: Option<Blamed>,
}

impl Breach {
    /// The breach of an object, if both the stored condition and the present observation show it: a
    /// stored condition may be older than the pods. Without a stored breach nothing is observed.
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
            fact: BreachFact::MinAvailableBreached,
            is_disruption: false,
            blamed: None,
        })
    }

    /// The replica in turn if its new pods find no room: gang termination is not suspended there, or two
    /// sets that update on a full cluster would wait for each other for ever (decision 154). One that was
    /// terminated in this turn is terminated again only for room that it holds since `holds_since`: else
    /// that gives nothing back, and the pods wait as before (decision 181).
    pub fn without_room(
        set: &PodCliqueSet,
        holds_since: impl FnOnce(i32) -> Option<Timestamp>,
    ) -> Option<Self> {
        let turn = update::turn(set)?;
        let replica = turn.replica_index;
        let lacks_since = turn.without_room_since.as_ref()?.0;
        let counts_from = if turn.must_return.is_empty() {
            Some(lacks_since)
        } else {
            holds_since(replica)
        };
        Some(Self {
            replica,
            object: Target::of::<PodCliqueSet>(&set.metadata),
            since: lacks_since.max(counts_from?),
            delay: delay_of_set(set)?,
            numbers: format!(
                "the update of replica {replica} finds no room for pods that have to run"
            ),
            fact: BreachFact::WithoutRoom,
            is_disruption: false,
            blamed: None,
        })
    }

    /// The same, counted from that time at the earliest: no breach counts from before a suspension,
    /// whatever an object still stores.
    #[must_use]
    pub fn not_before(self, from: Timestamp) -> Self {
        Self {
            since: self.since.max(from),
            ..self
        }
    }

    /// The same with the pod that it goes back to.
    #[must_use]
    pub fn blamed_on(self, blamed: Option<Blamed>) -> Self {
        Self { blamed, ..self }
    }

    /// The same with the known facts about the culprit.
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

    /// Whether an update found no room for the replica's pods.
    pub fn is_without_room(&self) -> bool {
        self.fact == BreachFact::WithoutRoom
    }

    /// When the replica is terminated.
    pub fn due(&self) -> Timestamp {
        due(self.since, self.delay)
    }

    /// The cause stored with the attempt.
    pub fn cause(&self) -> AttemptCause {
        AttemptCause {
            reason: ReplicaAttempt::BREACHED.to_owned(),
            message: format!(
                "{self}; {} since {:.0}, terminationDelay {}",
                self.fact,
                self.since,
                words(self.delay)
            ),
        }
    }

    /// The event that announces the termination. `replica` names the replica that will be
    /// terminated.
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
        )?;
        // The numbers of a PodClique name its pod already, those of a group name none.
        let blamed = self.blamed.as_ref();
        match blamed.filter(|blamed| !self.numbers.contains(&blamed.culprit.text)) {
            Some(blamed) => write!(f, "; clique {}: {}", blamed.clique, blamed.culprit.text),
            None => Ok(()),
        }
    }
}

fn words(delay: SignedDuration) -> String {
    if delay.subsec_nanos() == 0 {
        GoDuration::from_seconds(delay.as_secs()).to_string()
    } else {
        format!("{}ms", delay.as_millis())
    }
}

/// For each replica the breach that is due first.
pub fn first_of_each_replica(breaches: Vec<Breach>) -> Vec<Breach> {
    let mut breaches = breaches;
    breaches.sort_by(|a, b| {
        let order = |b: &Breach| (b.replica, b.due());
        (order(a), &a.object.key.name).cmp(&(order(b), &b.object.key.name))
    });
    breaches.dedup_by_key(|b| b.replica);
    breaches
}

/// Whether a breach or a user raised the attempt and its events have to be posted: until the replica
/// is complete again, the last time by the plan that stores that it is. So they are posted however
/// long the operator was away, and not again later (decision 61).
pub fn needs_events(fence: &ReplicaAttempt) -> bool {
    const REPORTED: [&str; 2] = [ReplicaAttempt::BREACHED, ReplicaAttempt::REQUESTED];
    REPORTED.contains(&fence.reason.as_str()) && fence::is_incomplete(fence)
}

/// The event that a replica was terminated, or is restarted on demand. `uid` is that of the set or
/// group, `replica` names the replica.
pub fn terminated_event(fence: &ReplicaAttempt, uid: &str, replica: &str) -> Event {
    let cause = describe(fence);
    let event = if fence.reason == ReplicaAttempt::REQUESTED {
        Event::normal(events::REPLICA_RESTARTING, format!("{replica}, {cause}"))
    } else {
        let message = format!("{replica} was terminated: {cause}");
        Event::warning(events::GANG_TERMINATED, message)
    };
    event.once(identity(fence, uid))
}

/// Bytes of the last words in an event, from their end: an event has room for 1024 bytes.
const WORDS_IN_EVENT: usize = 256;

/// The cause of the attempt, with the last words of its pod.
pub fn describe(fence: &ReplicaAttempt) -> String {
    // Those of a container that ended; the message has the others already.
    let ended = fence
        .cause
        .as_ref()
        .filter(|cause| cause.exit_code.is_some());
    let words = ended.and_then(|cause| cause.message.as_ref());
    let words = words.map_or(String::new(), |words| {
        format!("; last words: {}", text::keep_end(words, WORDS_IN_EVENT))
    });
    format!("{}{words}", fence.message)
}

/// The identity of an event of an attempt: the object, the replica, the attempt.
pub fn identity(fence: &ReplicaAttempt, uid: &str) -> String {
    format!("{uid}/{}/{}", fence.replica, fence.attempt)
}
