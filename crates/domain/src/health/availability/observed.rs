//! The facts of a breach, read from the objects themselves. The controllers that report a breach
//! and those that act on one use the same functions.

use std::collections::BTreeSet;

use api::conditions::Status;
use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueScalingGroup};
use jiff::SignedDuration;

use super::clique_breach;
use super::facts::{CliqueFacts, GroupFacts, TrainingFacts};
use crate::Pod;
use crate::health::culprit::{find_cause, find_culprit, find_earlier};
use crate::health::{fence, training};
use crate::object::indices;
use crate::workload::layout::{self, Member, Members};

impl CliqueFacts {
    /// The facts of a PodClique and its pods now; for a job those without a delay.
    pub fn of<'a>(podclique: &PodClique, pods: impl Iterator<Item = &'a Pod>) -> Self {
        let pods: Vec<&Pod> = pods.collect();
        let status = podclique.status.as_ref();
        let stored = status.and_then(|s| s.breach_cause.as_ref());
        let culprit = find_culprit(pods.iter().copied(), training::is_of_job(podclique));
        Self {
            cause: find_cause(stored, culprit.as_ref()),
            culprit,
            ..Self::counted(podclique, pods.into_iter())
        }
    }

    /// The same without the pod to blame, which takes far longer than to count them. Each decision on
    /// a set counts the pods of all its PodCliques, several times.
    pub fn counted<'a>(podclique: &PodClique, pods: impl Iterator<Item = &'a Pod>) -> Self {
        let staying: Vec<&Pod> = pods.filter(|p| !p.is_terminating()).collect();
        let is_training = training::is_of_job(podclique);
        let ready = if is_training {
            slots_of_job(podclique, &staying, |p| p.is_ready() || p.is_finishing())
        } else {
            to_i32(staying.iter().filter(|p| p.is_ready()).count())
        };
        let status = podclique.status.as_ref();
        let facts = Self {
            replicas: podclique.spec.replicas,
            min_available: podclique
                .spec
                .min_available
                .unwrap_or(podclique.spec.replicas.max(1)),
            available: ready,
            ready,
            was_available: status.is_some_and(|s| s.was_available),
            was_idle: was_idle(podclique),
            scaled_below_to: status.and_then(|s| s.scaled_below_to),
            is_updating: false,
            is_orphaned: false,
            is_held: false,
            awaits_quota: false,
            training: is_training.then(|| facts_of_job(podclique, &staying)),
            cause: None,
            culprit: None,
        };
        facts.with_job_delay(SignedDuration::ZERO)
    }

    /// The same, with empty indexes whose last pods failed or were taken away and are gone: these
    /// pods may be the only evidence of a breach.
    #[must_use]
    pub fn after_losses<'a>(self, lost: impl Iterator<Item = &'a Pod>) -> Self {
        let seen = find_culprit(lost, self.training.is_some());
        Self {
            cause: find_earlier(self.cause, seen.as_ref()),
            ..self
        }
    }
}

/// Whether, as stored, the PodClique was available since it was created or scaled up from 0, or had
/// all of its pods while `spec.replicas` was below its minimum.
pub fn is_established(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    let has_been_up = status.is_some_and(|s| s.was_available || s.scaled_below_to.is_some());
    has_been_up && !was_idle(podclique)
}

/// Whether, as stored, the PodClique starts like a new one: it was scaled to 0, or suspended.
pub fn was_idle(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    status.is_some_and(|s| s.was_idle == Some(true))
}

/// Indexes that are completed, or hold a pod that fulfils the claim.
fn slots_of_job(podclique: &PodClique, staying: &[&Pod], claim: impl Fn(&Pod) -> bool) -> i32 {
    let mut slots = training::completed(podclique, staying.iter().copied());
    let pods = staying.iter().filter(|p| claim(p));
    slots.extend(pods.filter_map(|p| p.index()));
    to_i32(slots.len())
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Whether the kubelet restarts failed containers in place, so that they do not count as failures
/// of the job (docs/semantics.md §2.2, row 5).
fn leaves_restarts_to_the_kubelet(podclique: &PodClique) -> bool {
    podclique.spec.pod_spec.restart_policy.as_deref() == Some("OnFailure")
}

fn facts_of_job(podclique: &PodClique, staying: &[&Pod]) -> TrainingFacts {
    let completed = training::completed(podclique, staying.iter().copied());
    let is_lost = |p: &&&Pod| p.is_failed() && p.index().is_none_or(|k| !completed.contains(&k));
    let failed = staying.iter().filter(is_lost).count();
    let given_up = staying.iter().filter(is_lost).filter(|p| p.is_given_up());
    TrainingFacts {
        has_succeeded: training::has_succeeded(podclique),
        failed: to_i32(failed),
        completed: to_i32(completed.len()),
        given_up: to_i32(given_up.count()),
        running: slots_of_job(podclique, staying, Pod::is_at_work),
        in_place: leaves_restarts_to_the_kubelet(podclique).then(|| {
            let whole = staying.iter().filter(|p| !p.is_failed()).copied();
            training::slots(completed, whole)
        }),
    }
}

/// One PodClique of a group replica, of the present attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupPart {
    /// Whether it is below its minimum.
    pub is_breached: bool,
    /// Whether its minimum is available, or was once.
    pub was_available: bool,
    /// Whether it is being deleted.
    pub is_terminating: bool,
}

impl GroupPart {
    /// A PodClique that counts, with these facts.
    pub fn standing(facts: &CliqueFacts) -> Self {
        Self {
            is_breached: clique_breach(facts).status == Status::True,
            was_available: facts.was_available || facts.available >= facts.minimum(),
            is_terminating: false,
        }
    }

    /// A terminating PodClique of the current attempt: a user deleted it, or it hangs. It counts as
    /// if its pods had died, unless its replica was scaled in. If it was not available since it was
    /// created or scaled up, it is still starting, or scaled to zero, and does not count; if it has
    /// succeeded, it is not needed any more.
    pub fn on_its_way_out(podclique: &PodClique) -> Option<Self> {
        let is_done = training::has_succeeded(podclique);
        (is_established(podclique) || is_done).then_some(Self {
            is_breached: !is_done,
            was_available: true,
            is_terminating: true,
        })
    }
}

/// Group replicas that were scaled in and are still being deleted, as stored by the group.
pub fn scaled_in_replicas(group: &PodCliqueScalingGroup) -> BTreeSet<i32> {
    let status = group.status.as_ref();
    let stored = status.and_then(|s| s.scaled_in_replicas.as_deref());
    indices::parse(stored.unwrap_or_default())
}

/// Whether all parts of a group replica exist and are available, or were once.
pub fn is_back(parts: &[Option<GroupPart>]) -> bool {
    parts.iter().all(|p| p.is_some_and(|p| p.was_available))
}

impl GroupFacts {
    /// The facts of a scaling group from its PodCliques. A replica is unhealthy if one of its
    /// PodCliques is breached, or if it was terminated and has not been available since: otherwise
    /// a group whose first replica is being restarted would count as healthy when the second one
    /// breaks. `surge`: how many surge replicas are available.
    pub fn of(
        group: &PodCliqueScalingGroup,
        attempts: &[ReplicaAttempt],
        surge: i32,
        part: impl Fn(&Member<'_>) -> Option<GroupPart>,
    ) -> Self {
        let scaled_in = scaled_in_replicas(group);
        let is_unhealthy = |members: &Members<'_>| {
            let parts: Vec<Option<GroupPart>> = members.cliques.iter().map(&part).collect();
            // A deletion by the group itself is no failure (decision 82).
            let was_scaled_in = scaled_in.contains(&members.group_replica);
            let mut counted = parts.iter().flatten();
            let is_breached =
                counted.any(|p| p.is_breached && !(p.is_terminating && was_scaled_in));
            let is_recovering = fence::is_recovering(attempts, members.group_replica);
            is_breached || (is_recovering && !is_back(&parts))
        };
        let unhealthy = layout::members_of_group(group).filter(is_unhealthy);
        Self {
            replicas: group.spec.replicas,
            min_available: group.spec.min_available.unwrap_or(1),
            unhealthy: unhealthy.map(|m| m.group_replica).collect(),
            is_updating: false,
            is_held: false,
            surge,
        }
    }
}
