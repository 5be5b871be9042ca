//! The status of a PodClique. No count includes terminating pods, and only `surgeReplicas` includes
//! surge pods.

mod update;

use std::sync::Arc;

use admission::oversize;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{LastError, PodCliqueStatus, codes, labels};
use domain::Pod;
use domain::health::availability::{self, CliqueFacts, Ended, StoredBreach, crash_loop};
use domain::health::culprit::Culprit;
use domain::health::readiness::{self, CliqueView};
use domain::health::{stalled, training};
use domain::object::{indices, ownership};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::observe::Snapshot;
use crate::rollout;

pub(crate) use update::next_update_change;

/// The status that follows from the observation.
pub fn next_status(snapshot: &Snapshot, now: Timestamp) -> PodCliqueStatus {
    let podclique = &snapshot.podclique;
    let before = podclique.status.clone().unwrap_or_default();
    let is_surge = rollout::surge_of(snapshot);
    let staying = snapshot.pods.iter().filter(|p| !p.is_terminating());
    let (surge, pods): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) = staying.partition(|pod| is_surge(pod));
    let ready_surge = surge.iter().filter(|p| p.is_ready()).count();
    let count = |claim: &dyn Fn(&Pod) -> bool| to_i32(pods.iter().filter(|p| claim(p)).count());
    let facts = CliqueFacts::of(podclique, snapshot.pods.iter().map(AsRef::as_ref))
        .after_losses(snapshot.lost.iter().map(AsRef::as_ref))
        .with_job_delay(snapshot.job_delay())
        .in_update(snapshot.is_updating())
        .orphaned(snapshot.is_orphaned())
        .held(snapshot.is_suspended())
        .awaiting_quota(snapshot.has_lost_quota());
    let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
    let mut next = PodCliqueStatus {
        observed_generation: podclique.metadata.generation,
        last_errors: over_limits(snapshot, now).into_iter().collect(),
        replicas: to_i32(pods.len()),
        ready_replicas: facts.ready.saturating_sub(to_i32(ready_surge)),
        updated_replicas: count(&|p| {
            hash.is_some() && !domain::update::is_outdated(&p.metadata, &podclique.metadata)
        }),
        schedule_gated_replicas: count(&Pod::is_gated),
        scheduled_replicas: count(&Pod::is_scheduled),
        surge_replicas: (!surge.is_empty()).then(|| to_i32(surge.len())),
        hpa_pod_selector: selector(snapshot),
        was_available: facts.latch(),
        was_idle: facts.is_or_was_idle().then_some(true),
        scaled_below_to: facts.next_scaled_below_to(),
        ..before.clone()
    };
    next.update_progress = update::progress(snapshot, &before, &next, now);
    if snapshot.is_training() {
        set_completed(&mut next, snapshot, now);
    }
    set_hashes(&mut next, snapshot, hash);
    set_conditions(&mut next, snapshot, &facts, now);
    next
}

/// Indexes that are bound to a node, without surge; a completed one was, though its pod may be gone.
fn scheduled_slots(snapshot: &Snapshot) -> i32 {
    let pods = snapshot.pods.iter().map(AsRef::as_ref);
    let bound = pods.filter(|p: &&Pod| !p.is_terminating() && p.is_scheduled());
    let slots = training::slots(snapshot.completed(), bound);
    slots.min(snapshot.podclique.spec.replicas)
}

fn over_limits(snapshot: &Snapshot, now: Timestamp) -> Option<LastError> {
    let error = oversize::of_podclique(&snapshot.podclique)?;
    Some(LastError {
        code: codes::LIMIT_EXCEEDED.to_owned(),
        description: error.to_string(),
        observed_at: Time(now),
    })
}

/// Condition `Ready`: a clique with too many pods is never complete.
fn ready_condition(snapshot: &Snapshot, next: &PodCliqueStatus, now: Timestamp) -> ConditionUpdate {
    if let Some(error) = next.last_errors.first() {
        let message = error.description.clone();
        return readiness::ready_condition(false, Reason::LimitExceeded, message);
    }
    let verdict = readiness::judge_podclique(&CliqueView {
        podclique: &snapshot.podclique,
        pods: snapshot.pods.iter().map(AsRef::as_ref).collect(),
        start: snapshot.start.clone(),
        now,
    });
    with_domain(verdict, snapshot)
}

/// The verdict, with the ComputeDomain that containers may wait for.
fn with_domain(mut verdict: ConditionUpdate, snapshot: &Snapshot) -> ConditionUpdate {
    let domain = snapshot.domain.as_ref();
    let domain = domain.and_then(|facts| facts.domain.as_deref());
    let pods = snapshot.pods.iter().map(AsRef::as_ref);
    let state = domain.and_then(|domain| readiness::explain_domain(domain, pods));
    if let Some(state) = state {
        verdict.message = format!("{}; {state}", verdict.message);
    }
    verdict
}

fn set_conditions(
    next: &mut PodCliqueStatus,
    snapshot: &Snapshot,
    facts: &CliqueFacts,
    now: Timestamp,
) {
    let generation = snapshot.podclique.metadata.generation;
    let slots = scheduled_slots(snapshot);
    let scheduled = availability::clique_scheduled(slots, facts.minimum());
    conditions::set(&mut next.conditions, scheduled, generation, now);
    next.breached_since = breached_since(snapshot, facts, next, now);
    if !is_settled(snapshot, next) {
        let breach = availability::clique_breach(facts);
        conditions::set(&mut next.conditions, breach, generation, now);
    }
    let is_breached = conditions::is_true(&next.conditions, ConditionType::MinAvailableBreached);
    let cause = facts.cause.as_ref().filter(|_| is_breached);
    next.breach_cause = cause.map(Culprit::to_cause);
    let ready = ready_condition(snapshot, next, now);
    let errors = stored_errors(snapshot);
    stalled::set_ready(&mut next.conditions, ready, errors, [], generation, now);
    let update = update::verdict(snapshot, next, now);
    conditions::set(&mut next.conditions, update, generation, now);
    conditions::set_or_remove(
        &mut next.conditions,
        ConditionType::ScaledBelowMinAvailable,
        availability::scaled_below_minimum(facts.replicas, facts.min_available),
        generation,
        now,
    );
}

/// The refused requests in the stored status.
pub(crate) fn stored_errors(snapshot: &Snapshot) -> &[LastError] {
    let status = snapshot.podclique.status.as_ref();
    status.map_or(&[], |s| &s.last_errors)
}

/// When it became breached, or when the breach began that has just ended. In a job that is over
/// nothing returns, and nothing is remembered; the same holds for a clique that is scaled to 0 or
/// suspended, or was just scaled below its minimum and is not breached there.
fn breached_since(
    snapshot: &Snapshot,
    facts: &CliqueFacts,
    before: &PodCliqueStatus,
    now: Timestamp,
) -> Option<Time> {
    let stored = StoredBreach::from(before);
    if is_settled(snapshot, before) {
        return stored.since().map(Time);
    }
    let status = availability::clique_breach(facts).status;
    let is_just_below = facts.scaled_below_to.is_none() && facts.next_scaled_below_to().is_some();
    let is_idle = facts.replicas == 0 || facts.is_held;
    if is_idle || (is_just_below && status == Status::False) {
        return None;
    }
    let resume = |ended: Ended| {
        let pods = snapshot.pods.iter().map(AsRef::as_ref);
        let is_same = crash_loop::goes_on(pods, snapshot.is_training(), ended);
        is_same.then_some(Timestamp::MIN)
    };
    stored.next(status, snapshot.breach_memory(), now, resume)
}

/// In a job that is over the stored breach stays as it was: the operator ends its pods now, which
/// is not a failure. `Ready` still reports the running pods.
fn is_settled(snapshot: &Snapshot, status: &PodCliqueStatus) -> bool {
    let is_over = snapshot.set.as_ref().is_some_and(|s| s.is_over);
    let breach = ConditionType::MinAvailableBreached;
    is_over && conditions::find(&status.conditions, breach).is_some()
}

/// Sets the completed indexes, and whether all are: written before any clean-up, so that it stays
/// known when the pods are gone (docs/semantics.md §5.2).
fn set_completed(next: &mut PodCliqueStatus, snapshot: &Snapshot, now: Timestamp) {
    let completed = snapshot.completed();
    let podclique = &snapshot.podclique;
    if !completed.is_empty() {
        next.completed_indices = Some(indices::format(&completed));
    }
    if training::is_done(podclique, &completed) {
        let verdict = ConditionUpdate {
            type_: ConditionType::Succeeded,
            status: Status::True,
            reason: Reason::AllPodsCompleted,
            message: format!("pods completed: {}", completed.len()),
        };
        let generation = podclique.metadata.generation;
        conditions::set(&mut next.conditions, verdict, generation, now);
    }
}

/// The hashes describe *all* pods, so they change only once all pods have them (docs/semantics.md
/// §9.2); the hash of the set's generation changes once the update has ended, as traffic follows
/// it.
fn set_hashes(next: &mut PodCliqueStatus, snapshot: &Snapshot, hash: Option<&str>) {
    let Some(set) = &snapshot.set else { return };
    let is_newest = hash.is_some() && set.template_hash.as_deref() == hash;
    // While the last pod of the previous template is gone and its successor is not created yet, all
    // existing pods have the newest template.
    let is_whole = next.replicas >= snapshot.podclique.spec.replicas || !snapshot.is_updating();
    if is_newest && is_whole && next.updated_replicas == next.replicas {
        next.current_pod_template_hash = hash.map(str::to_owned);
        let progress = next.update_progress.as_ref();
        if progress.is_none_or(|p| p.update_ended_at.is_some()) {
            next.current_pod_clique_set_generation_hash
                .clone_from(&set.generation_hash);
        }
    }
}

/// Only standalone cliques are scaled individually.
fn selector(snapshot: &Snapshot) -> Option<String> {
    let meta = &snapshot.podclique.metadata;
    if ownership::label(meta, labels::SCALING_GROUP).is_some() {
        return None;
    }
    let set = snapshot.set_name();
    Some(format!(
        "{},{}={set},{}={}",
        labels::MANAGED_SELECTOR,
        labels::PART_OF,
        labels::POD_CLIQUE,
        ownership::name(meta)
    ))
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
