//! The writes for quota. Each follows from the stored status: a gang whose loss is not stored yet gives
//! nothing back, and one whose grant is not stored asks for nothing more.

use std::sync::Arc;

use api::kueue::{KueueWorkload, types};
use api::podgang::QuotaGrant;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::scheduling::quota::{self, PodCounts};
use jiff::Timestamp;

use super::verdict::Verdict;
use super::{QueueingFacts, correct, counts, grant, release, workload};
use crate::observe::Snapshot;

/// The writes in this state.
pub fn plan(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    verdict: &Verdict,
    now: Timestamp,
) -> Vec<Action> {
    let gang = &*snapshot.gang;
    if !facts.is_served || facts.is_outdated || !verdict.is_stored(gang) {
        return Vec::new();
    }
    if facts.queue.is_none() {
        return staying(facts).map(|workload| give_up(workload)).collect();
    }
    let grants = verdict.quota.as_ref().map_or(&[][..], |q| &q.grants);
    match &verdict.condition {
        None => Vec::new(),
        Some(_) if quota::is_reserved(gang) => plan_reserved(snapshot, facts, grants, now),
        Some(_) => plan_waiting(snapshot, facts, now),
    }
}

fn staying(facts: &QueueingFacts) -> impl Iterator<Item = &Arc<KueueWorkload>> {
    let all = facts.workloads.iter();
    all.filter(|workload| !ownership::is_terminating(&workload.metadata))
}

pub(super) fn give_up(workload: &KueueWorkload) -> Action {
    Action::delete_as_seen::<KueueWorkload>(&workload.metadata, Purpose::ReturnQuota)
}

/// While pods of the gang may run, its Workloads stay as they are.
fn plan_waiting(snapshot: &Snapshot, facts: &QueueingFacts, now: Timestamp) -> Vec<Action> {
    let gang = &*snapshot.gang;
    if release::has_users(gang, facts) {
        return Vec::new();
    }
    let requested = counts::requested(gang);
    let may_ask = !snapshot.is_suspended
        && facts.has_base_quota
        && facts.are_flavors_readable
        && !requested.is_empty();
    let name = ownership::name(&gang.metadata);
    let mut actions: Vec<Action> = staying(facts)
        .filter_map(|workload| {
            let is_first = ownership::name(&workload.metadata) == name;
            let is_inactive = workload.spec.active == Some(false);
            if !is_first || !(may_ask || is_inactive) {
                return Some(give_up(workload));
            }
            if grant::uses_quota(workload) {
                let is_evicted = grant::holds(workload, types::EVICTED);
                let next = || release::without_quota(workload, now);
                return is_evicted.then(|| Action::replace_status(next()));
            }
            // Another one would be active.
            let may_change = may_ask && !is_inactive;
            may_change
                .then(|| correct::plan(snapshot, facts, workload, &requested))
                .flatten()
        })
        .collect();
    if may_ask && facts.find_hindrance().is_none() && facts.find(name).is_none() {
        actions.extend(ask(snapshot, facts, name, &requested));
    }
    actions
}

fn ask(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    name: &str,
    asked: &PodCounts,
) -> Option<Action> {
    workload::request(&snapshot.gang, &snapshot.parts, facts, name, asked).map(Action::create)
}

fn plan_reserved(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    grants: &[QuotaGrant],
    now: Timestamp,
) -> Vec<Action> {
    let gang = &*snapshot.gang;
    let missing = counts::excess(&counts::requested(gang), &counts::granted(grants));
    let grant_of = |workload: &KueueWorkload| {
        let uid = ownership::uid(&workload.metadata);
        grants.iter().find(|grant| grant.uid == uid)
    };
    // Kueue keeps an evicted Workload until its job has stopped. That of a job that is over is finished.
    let is_stopped = facts.end.is_none() && release::needs_none(gang, facts);
    let mut actions: Vec<Action> = staying(facts)
        .filter_map(|workload| match grant_of(workload) {
            Some(_) if is_stopped && !grant::is_admitted(workload) => Some(give_up(workload)),
            Some(granted) => release::with_progress(snapshot, facts, workload, granted, now)
                .map(Action::replace_status),
            None => plan_growth(snapshot, facts, (workload, grants), &missing, now),
        })
        .collect();
    let is_asking = facts.workloads.iter().any(|w| grant_of(w).is_none());
    if !missing.is_empty() && !is_asking && facts.find_hindrance().is_none() {
        let name = ownership::name(&gang.metadata);
        let mut names = (1..=facts.workloads.len().saturating_add(1))
            .map(|number| workload::growth_name(name, number));
        let free = names.find(|name| facts.find(name).is_none());
        let created = free.and_then(|free| ask(snapshot, facts, &free, &missing));
        actions.extend(created);
    }
    actions
}

/// A request for pods that were added later, before its quota is stored or after it was lost.
fn plan_growth(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    (workload, grants): (&Arc<KueueWorkload>, &[QuotaGrant]),
    missing: &PodCounts,
    now: Timestamp,
) -> Option<Action> {
    let is_wanted = grant::is_wanted(workload, missing);
    if grant::uses_quota(workload) {
        let is_evicted = grant::holds(workload, types::EVICTED);
        if (is_wanted && !is_evicted) || !release::fits(&snapshot.gang, facts, grants) {
            return None;
        }
        let next = || Action::replace_status(release::without_quota(workload, now));
        return Some(if is_wanted { next() } else { give_up(workload) });
    }
    let mut others = staying(facts).filter(|other| {
        let uid = ownership::uid(&other.metadata);
        uid != ownership::uid(&workload.metadata) && grants.iter().all(|grant| grant.uid != uid)
    });
    if others.next().is_none() {
        return correct::plan(snapshot, facts, workload, missing);
    }
    // Two of them would ask for the same pods.
    correct::asks_for_others(facts, workload, missing).then(|| give_up(workload))
}
