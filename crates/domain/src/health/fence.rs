//! The attempt fence: how a replica is terminated so that a crash, a repetition or a lost answer
//! never terminates it twice, and never half (docs/semantics.md §4).
//!
//! ```text
//! status PUT: attempts[i] + 1 ──▶ events ──▶ delete PodCliques of i with a lower attempt
//!                                            ──▶ create them with the new attempt
//! ```
//!
//! The status write is the decision; everything after it is planned from the stored attempt. A
//! PodClique carries the attempt it was created in, which is never repaired. Nothing is created in
//! a replica while a PodClique of a lower attempt exists there, and only PodCliques of the current
//! attempt count in any rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use api::podcliqueset::{LiveReplicas, ReplicaAttempt, TerminationCause};
use api::{PodCliqueScalingGroup, PodCliqueSet};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::workload::clique::LiveCount;
use crate::workload::limits;

/// Only this many entries keep the cause as text.
const MAX_MESSAGES: usize = 20;

/// The lowest attempt of each replica.
pub fn lowest<A: Ord>(found: impl Iterator<Item = (i32, A)>) -> HashMap<i32, A> {
    let mut all = HashMap::new();
    for (replica, attempt) in found {
        if all.get(&replica).is_none_or(|lowest| attempt < *lowest) {
            all.insert(replica, attempt);
        }
    }
    all
}

/// The attempts that a set has stored for its replicas.
pub fn attempts_of_set(set: &PodCliqueSet) -> &[ReplicaAttempt] {
    let status = set.status.as_ref();
    status.map_or(&[], |s| &s.replica_attempts)
}

/// The attempts that a scaling group has stored for its replicas.
pub fn attempts_of_group(group: &PodCliqueScalingGroup) -> &[ReplicaAttempt] {
    let status = group.status.as_ref();
    status.map_or(&[], |s| &s.replica_attempts)
}

/// Whether it is stored that the PodClique of a job has done its work in the replica's present
/// attempt, whether the PodClique still exists or not.
pub fn is_stored_as_succeeded(attempts: &[ReplicaAttempt], replica: i32, podclique: &str) -> bool {
    let entry = entry(attempts, replica);
    entry.is_some_and(|a| a.succeeded.iter().any(|name| name == podclique))
}

/// The current attempt of a replica: 0 until it is terminated for the first time.
pub fn current_attempt(attempts: &[ReplicaAttempt], replica: i32) -> i32 {
    entry(attempts, replica).map_or(0, |a| a.attempt)
}

/// The stored entry of a replica. It is looked up for each PodClique: the list of a job has an
/// entry for each replica, so its place is tried first.
pub fn entry(attempts: &[ReplicaAttempt], replica: i32) -> Option<&ReplicaAttempt> {
    let is_it = |a: &&ReplicaAttempt| a.replica == replica;
    let place = usize::try_from(replica).ok()?;
    let at_place = attempts.get(place).filter(is_it);
    at_place.or_else(|| attempts.iter().find(is_it))
}

/// Whether all PodCliques of the replica's present attempt existed.
pub fn is_complete(attempts: &[ReplicaAttempt], replica: i32) -> bool {
    entry(attempts, replica).is_some_and(|a| a.complete == Some(true))
}

/// Whether `complete` of the current attempt is stored as false.
pub fn is_incomplete(attempt: &ReplicaAttempt) -> bool {
    attempt.complete == Some(false)
}

/// Why a replica is terminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCause {
    /// PascalCase reason.
    pub reason: String,
    /// Object, condition and numbers, for people.
    pub message: String,
}

/// The list with the attempts of these replicas raised by one each. Entries are never lowered or
/// removed.
pub fn begin_attempts(
    attempts: &[ReplicaAttempt],
    due: impl IntoIterator<Item = (i32, AttemptCause)>,
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let next = |replica| current_attempt(attempts, replica).saturating_add(1);
    let raised = due.into_iter();
    with_attempts(
        attempts,
        raised.map(|(replica, cause)| (replica, next(replica), cause)),
        now,
    )
}

/// The same for replicas of a scaling group: none of them is available until it has come back.
pub fn begin_group_attempts(
    attempts: &[ReplicaAttempt],
    due: impl IntoIterator<Item = (i32, AttemptCause)>,
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let due: Vec<(i32, AttemptCause)> = due.into_iter().collect();
    let replicas: HashSet<i32> = due.iter().map(|(replica, _)| *replica).collect();
    let mut next = begin_attempts(attempts, due, now);
    for entry in next.iter_mut().filter(|a| replicas.contains(&a.replica)) {
        entry.recovered = Some(false);
    }
    next
}

/// Whether the group replica was terminated and has not been available since. An entry without the
/// latch was stored by an earlier version: it counts as available, so that an upgrade causes no
/// breach (decision 51).
pub fn is_recovering(attempts: &[ReplicaAttempt], replica: i32) -> bool {
    entry(attempts, replica).is_some_and(|a| a.recovered == Some(false))
}

/// The list with `recovered` set for each replica that was available again. It never becomes false
/// by itself: a PodClique created later in that replica starts like any other (docs/semantics.md
/// §2.4).
pub fn with_recovered(
    attempts: &[ReplicaAttempt],
    is_back: impl Fn(i32) -> bool,
) -> Vec<ReplicaAttempt> {
    let mut next = attempts.to_vec();
    for entry in &mut next {
        if entry.recovered == Some(false) && is_back(entry.replica) {
            entry.recovered = Some(true);
        }
    }
    next
}

/// The list with the replica's attempt raised to that of a found PodClique: its parent was
/// recreated, restored or adopted. `None` if the stored attempt is as high already.
pub fn adopt_higher_attempts(
    attempts: &[ReplicaAttempt],
    replica: i32,
    found: i32,
    now: Timestamp,
) -> Option<Vec<ReplicaAttempt>> {
    let is_higher = found > current_attempt(attempts, replica);
    let cause = AttemptCause {
        reason: ReplicaAttempt::ADOPTED.to_owned(),
        message: format!("children of attempt {found} exist"),
    };
    is_higher.then(|| with_attempts(attempts, [(replica, found, cause)], now))
}

/// The list with these attempts of replicas.
fn with_attempts(
    attempts: &[ReplicaAttempt],
    raised: impl IntoIterator<Item = (i32, i32, AttemptCause)>,
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let mut next: BTreeMap<i32, ReplicaAttempt> =
        attempts.iter().map(|a| (a.replica, a.clone())).collect();
    for (replica, attempt, cause) in raised {
        let entry = ReplicaAttempt {
            replica,
            attempt,
            time: Time(now),
            reason: cause.reason,
            message: cause.message,
            cause: None,
            succeeded: Vec::new(),
            recovered: None,
            complete: Some(false),
        };
        next.insert(replica, entry);
    }
    let mut next: Vec<ReplicaAttempt> = next.into_values().collect();
    shorten(&mut next);
    next
}

/// Stores in the entries of replicas that are about to be terminated the pods that it goes back to;
/// only where the message is kept, as both are bounded together.
pub fn note_causes(
    attempts: &mut [ReplicaAttempt],
    causes: impl IntoIterator<Item = (i32, TerminationCause)>,
) {
    for (replica, cause) in causes {
        let mut entries = attempts.iter_mut();
        let entry = entries.find(|entry| entry.replica == replica);
        if let Some(entry) = entry.filter(|entry| !entry.message.is_empty()) {
            entry.cause = Some(cause);
        }
    }
}

/// Keeps the message and the cause of the newest entries only: with ten thousand messages the status would exceed
/// the size limit of etcd, and no attempt could be raised any more (decision 67).
fn shorten(attempts: &mut [ReplicaAttempt]) {
    let mut with_message: Vec<&mut ReplicaAttempt> = attempts
        .iter_mut()
        .filter(|a| !a.message.is_empty())
        .collect();
    with_message.sort_by_key(|a| Reverse(a.time.0));
    for old in with_message.into_iter().skip(MAX_MESSAGES) {
        old.message = String::new();
        old.cause = None;
    }
}

/// A standalone clique of a replica that is about to be terminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandaloneClique {
    /// Its name in the template.
    pub clique: String,
    /// Its live replicas, if its PodClique exists.
    pub live: Option<LiveCount>,
    /// Whether an autoscaler sets them.
    pub is_autoscaled: bool,
}

/// The next `liveReplicas` when the replica is terminated: the counts set by users and autoscalers,
/// so that the recreated cliques start with them. A clique whose PodClique does not exist keeps its
/// old entry: it was terminated before it was recreated. The live count is compared with the
/// annotation of the PodClique: the template may have been changed a moment ago, and a count that
/// has not followed it yet was not scaled (decision 52). A count set by an autoscaler follows no
/// template, even if both happen to be equal.
pub fn remember_live_replicas(
    before: &[LiveReplicas],
    replica: i32,
    cliques: &[StandaloneClique],
) -> Vec<LiveReplicas> {
    let others = before.iter().filter(|l| l.replica != replica).cloned();
    let of_replica = cliques.iter().filter_map(|c| {
        let old = before
            .iter()
            .find(|l| l.replica == replica && l.clique == c.clique);
        match c.live {
            None => old.cloned(),
            Some(live) if live.replicas == live.stamped && !c.is_autoscaled => None,
            Some(live) => Some(LiveReplicas {
                replica,
                clique: c.clique.clone(),
                replicas: live.replicas,
                template: Some(live.stamped),
            }),
        }
    });
    others.chain(of_replica).collect()
}

/// The replica count that a standalone clique is created with, and the template's value that is
/// stamped on it: the stored count before its termination, else the template's.
pub fn count_to_create(
    remembered: &[LiveReplicas],
    replica: i32,
    clique: &str,
    template: i32,
) -> LiveCount {
    let found = remembered
        .iter()
        .find(|l| l.replica == replica && l.clique == clique);
    LiveCount {
        replicas: limits::bounded(found.map_or(template, |l| l.replicas)),
        stamped: found.and_then(|l| l.template).unwrap_or(template),
    }
}
