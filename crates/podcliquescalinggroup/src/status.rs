//! The status of a scaling group.

mod breach;
mod ready;
mod replica;
mod scaled_in;
mod update;

use std::sync::Arc;

use admission::FieldError;
use api::conditions::{self, ConditionType, ConditionUpdate};
use api::podcliqueset::ReplicaAttempt;
use api::{LastError, PodClique, PodCliqueScalingGroupStatus, codes, labels};
use domain::health::availability::{self, GroupFacts};
use domain::health::{fence, stalled};
use domain::object::ownership;
use domain::workload::layout::{self, Members};
use engine::cache::set_of;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use self::replica::{Replica, judge_replica};
use crate::observe::Snapshot;
use crate::rollout::{Hashed, newest_hashes, surge_members};

pub use breach::{stored_part, with_recovered};
pub use update::update_deadline;

/// The status that follows from the observation.
pub fn next_status(snapshot: &Snapshot, now: Timestamp) -> PodCliqueScalingGroupStatus {
    let group = &snapshot.group;
    let before = group.status.clone().unwrap_or_default();
    let hashed = newest_hashes(snapshot);
    let replicas: Vec<Replica<'_>> = layout::members_of_group(group)
        .map(|members| judge_replica(snapshot, &hashed, members))
        .collect();
    let count = |claim: &dyn Fn(&Replica<'_>) -> bool| count_of(&replicas, claim);
    let surge = judge_surge(snapshot, &hashed);
    let serving = count_of(&surge, &|r| r.is_available);
    let facts = GroupFacts::of(group, snapshot.replica_attempts(), serving, |member| {
        stored_part(snapshot, member)
    })
    .in_update(snapshot.is_updating())
    .held(snapshot.is_suspended());
    let mut next = PodCliqueScalingGroupStatus {
        replicas: group.spec.replicas,
        scheduled_replicas: count(&|r| r.is_scheduled),
        available_replicas: count(&|r| r.is_available),
        updated_replicas: count(&|r| r.is_available && r.is_updated),
        surge_replicas: (!surge.is_empty()).then(|| count_of(&surge, &|_| true)),
        selector: selector(snapshot),
        observed_generation: group.metadata.generation,
        last_errors: Vec::new(),
        replica_attempts: with_recovered(snapshot),
        scaled_in_replicas: scaled_in::next(snapshot),
        ..before.clone()
    };
    next.update_progress = update::progress(snapshot, &hashed, &before, &next, now);
    note_complete(&mut next.replica_attempts, &replicas);
    let progress = next.update_progress.as_ref();
    let is_over = progress.is_none_or(|p| p.update_ended_at.is_some());
    if let Some(generation) = generation_of_all(snapshot, &replicas).filter(|_| is_over) {
        next.current_pod_clique_set_generation_hash = Some(generation);
    }
    // Set by the Go operator. Here `replicaAttempts` has the same information, and this condition
    // would never be removed.
    conditions::remove(
        &mut next.conditions,
        ConditionType::GangTerminationInProgress,
    );
    let generation = group.metadata.generation;
    let breach = availability::group_breach(&facts);
    next.breached_since = breach::breached_since(snapshot, &next, breach.status, now);
    conditions::set(&mut next.conditions, breach, generation, now);
    set_ready(
        &mut next,
        snapshot,
        ready::ready_condition(snapshot, &replicas, &surge),
        now,
    );
    let update = update::verdict(snapshot, &next, now);
    conditions::set(&mut next.conditions, update, generation, now);
    conditions::set_or_remove(
        &mut next.conditions,
        ConditionType::ScaledBelowMinAvailable,
        availability::scaled_below_minimum(facts.replicas, facts.min_available),
        generation,
        now,
    );
    next
}

/// The available surge replicas of which the PodCliques fulfil the claim.
pub fn count_serving_surge(snapshot: &Snapshot, claim: impl Fn(&PodClique) -> bool) -> i32 {
    let surge = judge_surge(snapshot, &Hashed::new());
    count_of(&surge, &|replica| {
        let members = replica.members.cliques.iter();
        let mut found = members.filter_map(|member| snapshot.slot(&member.name).standing());
        replica.is_available && found.all(|podclique| claim(podclique))
    })
}

/// The surge replicas of which a PodClique exists.
fn judge_surge<'a>(snapshot: &'a Snapshot, hashed: &Hashed<'_>) -> Vec<Replica<'a>> {
    let members = surge_members(snapshot);
    let exists = |members: &Members<'_>| {
        let mut cliques = members.cliques.iter();
        cliques.any(|member| snapshot.slot(&member.name).present().is_some())
    };
    members
        .filter(exists)
        .map(|members| judge_replica(snapshot, hashed, members))
        .collect()
}

fn count_of(replicas: &[Replica<'_>], claim: &dyn Fn(&Replica<'_>) -> bool) -> i32 {
    i32::try_from(replicas.iter().filter(|r| claim(r)).count()).unwrap_or(i32::MAX)
}

/// The status of a group that is over its limits: its objects are not counted.
pub fn over_limits(
    snapshot: &Snapshot,
    errors: &[FieldError],
    now: Timestamp,
) -> PodCliqueScalingGroupStatus {
    let group = &snapshot.group;
    let before = group.status.clone().unwrap_or_default();
    let last_error = |error: &FieldError| LastError {
        code: codes::LIMIT_EXCEEDED.to_owned(),
        description: error.to_string(),
        observed_at: Time(now),
    };
    let mut next = PodCliqueScalingGroupStatus {
        replicas: group.spec.replicas,
        last_errors: errors.iter().map(last_error).collect(),
        ..before
    };
    set_ready(&mut next, snapshot, ready::over_limits(errors), now);
    next
}

/// Conditions `Ready` and, with it, `Stalled`.
fn set_ready(
    next: &mut PodCliqueScalingGroupStatus,
    snapshot: &Snapshot,
    ready: ConditionUpdate,
    now: Timestamp,
) {
    let cliques = snapshot.podcliques.values();
    let cliques = cliques.filter_map(|c| Some(&*c.status.as_ref()?.conditions));
    let (errors, generation) = (stored_errors(snapshot), snapshot.group.metadata.generation);
    stalled::set_ready(
        &mut next.conditions,
        ready,
        errors,
        cliques,
        generation,
        now,
    );
}

/// The refused requests in the stored status.
pub fn stored_errors(snapshot: &Snapshot) -> &[LastError] {
    let status = snapshot.group.status.as_ref();
    status.map_or(&[], |s| &s.last_errors)
}

/// Records that a terminated group replica is complete again, or was scaled in.
fn note_complete(attempts: &mut [ReplicaAttempt], replicas: &[Replica<'_>]) {
    for attempt in attempts.iter_mut().filter(|a| fence::is_incomplete(a)) {
        let replica = usize::try_from(attempt.replica).ok();
        let replica = replica.and_then(|j| replicas.get(j));
        attempt.complete = Some(replica.is_none_or(|r| r.is_complete));
    }
}

/// The attempts that a group's status stores.
pub struct Fences {
    /// The attempt of the PodCliqueSet replica that the group's status is about.
    pub observed_attempt: Option<i32>,
    /// The attempts of single group replicas.
    pub replica_attempts: Vec<ReplicaAttempt>,
}

impl Fences {
    /// Other attempts of group replicas, in the same attempt of the PodCliqueSet replica.
    pub fn of(snapshot: &Snapshot, replica_attempts: Vec<ReplicaAttempt>) -> Self {
        let before = snapshot.group.status.as_ref();
        Self {
            observed_attempt: before.and_then(|s| s.observed_attempt),
            replica_attempts,
        }
    }
}

/// The status with changed attempts: all counts and conditions follow from the PodCliques that are
/// current then.
pub fn with_fences(
    snapshot: &Snapshot,
    fences: Fences,
    now: Timestamp,
) -> PodCliqueScalingGroupStatus {
    let mut group = (*snapshot.group).clone();
    let before = group.status.get_or_insert_default();
    let is_new_life = before.observed_attempt != fences.observed_attempt;
    before.observed_attempt = fences.observed_attempt;
    before.replica_attempts = fences.replica_attempts;
    let renewed = Snapshot {
        group: Arc::new(group),
        ..snapshot.clone()
    };
    let mut next = next_status(&renewed, now);
    if is_new_life {
        // The breach ended with the PodCliques of the earlier attempt.
        next.breached_since = None;
    }
    next
}

/// The set's generation, once all PodCliques have it (docs/semantics.md §9.2). It is stored once
/// the update has ended, as traffic follows it.
fn generation_of_all(snapshot: &Snapshot, replicas: &[Replica<'_>]) -> Option<String> {
    let set = &snapshot.owner.as_ref()?.set;
    let generation = set.status.as_ref()?.current_generation_hash.clone()?;
    replicas
        .iter()
        .all(|r| r.is_complete && r.is_updated)
        .then_some(generation)
}

fn selector(snapshot: &Snapshot) -> Option<String> {
    let meta = &snapshot.group.metadata;
    let set = set_of(meta)?.name;
    Some(format!(
        "{},{}={set},{}={}",
        labels::MANAGED_SELECTOR,
        labels::PART_OF,
        labels::SCALING_GROUP,
        ownership::name(meta)
    ))
}
