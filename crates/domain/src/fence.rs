//! The attempt fence: how a replica is torn down so that a crash, a repetition or a lost answer
//! never tears it down twice, and never half (design, protocol rule 4).
//!
//! ```text
//! status PUT: attempts[i] + 1 ──▶ events ──▶ delete PodCliques of i with a lower attempt
//!                                            ──▶ create them with the new attempt
//! ```
//!
//! The status write is the decision; all that follows is planned from what it left behind. A
//! PodClique carries the attempt it was created in as a label that is never repaired. Nothing is
//! created in a replica while a PodClique of a lower attempt exists there, and only PodCliques of
//! the present attempt count in any rule.

use api::labels;
use api::podcliqueset::{LiveReplicas, ReplicaAttempt};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use crate::{limits, ownership};

/// In which attempt of its PodCliqueSet replica, and of its scaling group's replica, a PodClique
/// was created. Compared as a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// Of the PodCliqueSet replica; 0 if the label is absent.
    pub set: i32,
    /// Of the scaling group's replica; 0 if the label is absent.
    pub group: i32,
}

impl Attempt {
    /// What the labels of an object say.
    pub fn of(meta: &ObjectMeta) -> Self {
        let number = |key| ownership::label_index(meta, key).unwrap_or(0);
        Self {
            set: number(labels::ATTEMPT),
            group: number(labels::GROUP_ATTEMPT),
        }
    }

    /// Labels for an object created in this attempt; none for the first.
    pub fn labels(self) -> impl Iterator<Item = (&'static str, i32)> {
        [
            (labels::ATTEMPT, self.set),
            (labels::GROUP_ATTEMPT, self.group),
        ]
        .into_iter()
        .filter(|(_, number)| *number > 0)
    }
}

/// The present attempt of a replica: 0 until it is torn down for the first time.
pub fn present(attempts: &[ReplicaAttempt], replica: i32) -> i32 {
    attempts
        .iter()
        .find(|a| a.replica == replica)
        .map_or(0, |a| a.attempt)
}

/// Why a replica is torn down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// PascalCase reason.
    pub reason: String,
    /// Object, condition and numbers, for people.
    pub message: String,
}

/// The list with the replica's attempt raised by one. Entries are never lowered or removed.
pub fn raise(
    attempts: &[ReplicaAttempt],
    replica: i32,
    cause: Cause,
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    to(
        attempts,
        replica,
        present(attempts, replica).saturating_add(1),
        cause,
        now,
    )
}

/// The list with the replica's attempt raised to that of a PodClique that was found: its parent
/// was recreated, restored or adopted. `None` if the fence is as high already.
pub fn raise_to_found(
    attempts: &[ReplicaAttempt],
    replica: i32,
    found: i32,
    now: Timestamp,
) -> Option<Vec<ReplicaAttempt>> {
    let is_higher = found > present(attempts, replica);
    let cause = Cause {
        reason: "AttemptAdopted".to_owned(),
        message: format!("a PodClique of attempt {found} exists"),
    };
    is_higher.then(|| to(attempts, replica, found, cause, now))
}

fn to(
    attempts: &[ReplicaAttempt],
    replica: i32,
    attempt: i32,
    cause: Cause,
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let mut next: Vec<ReplicaAttempt> = attempts
        .iter()
        .filter(|a| a.replica != replica)
        .cloned()
        .collect();
    next.push(ReplicaAttempt {
        replica,
        attempt,
        time: Time(now),
        reason: cause.reason,
        message: cause.message,
        succeeded: Vec::new(),
    });
    next.sort_by_key(|a| a.replica);
    next
}

/// A standalone clique of a replica that is about to be torn down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandaloneClique {
    /// Its name in the template.
    pub clique: String,
    /// Replicas in the template.
    pub template: i32,
    /// Its live replicas, if its PodClique exists.
    pub live: Option<i32>,
}

/// What `liveReplicas` becomes when the replica is torn down: the counts that users and
/// autoscalers set, so that the recreated cliques get them back. A clique whose PodClique does not
/// exist keeps its old entry: it was torn down before it came back.
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
            Some(live) if live == c.template => None,
            Some(live) => Some(LiveReplicas {
                replica,
                clique: c.clique.clone(),
                replicas: live,
            }),
        }
    });
    others.chain(of_replica).collect()
}

/// With how many replicas a standalone clique is created: what it had before it was torn down,
/// else what the template says.
pub fn replicas_to_create(
    remembered: &[LiveReplicas],
    replica: i32,
    clique: &str,
    template: i32,
) -> i32 {
    let found = remembered
        .iter()
        .find(|l| l.replica == replica && l.clique == clique);
    limits::bounded(found.map_or(template, |l| l.replicas))
}
