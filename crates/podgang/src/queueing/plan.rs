//! The writes for quota. Each follows from the stored status: a gang whose loss is not stored yet gives
//! nothing back, and one whose grant is not stored asks for nothing more.

use std::sync::Arc;

use api::PodGang;
use api::kueue::{KueueWorkload, types};
use api::podgang::QuotaGrant;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::scheduling::quota::{self, PodCounts};
use jiff::Timestamp;

use super::verdict::Verdict;
use super::{PriorityClass, QueueingFacts, counts, grant, release, workload};
use crate::gang_part::GangPart;
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
        return staying(facts).map(give_up).collect();
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

fn give_up(workload: &Arc<KueueWorkload>) -> Action {
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
            let may_go = may_ask && !is_inactive;
            let is_other = may_go && asks_for_others(facts, workload, &requested);
            is_other.then(|| give_up(workload))
        })
        .collect();
    if may_ask && facts.find_hindrance().is_none() && facts.find(name).is_none() {
        actions.extend(ask(gang, &snapshot.parts, facts, name, &requested));
    }
    actions
}

/// Whether a request that has no quota differs from the present need, queue or priority.
fn asks_for_others(facts: &QueueingFacts, workload: &KueueWorkload, needed: &PodCounts) -> bool {
    let class = workload.spec.priority_class_ref.as_ref();
    let wanted = match &facts.priority_class {
        PriorityClass::Named(name, _) | PriorityClass::Missing(name) => Some(name),
        PriorityClass::OfPods => None,
    };
    quota::requested(&workload.metadata).as_ref() != Some(needed)
        || workload.spec.queue_name != facts.queue
        || class.map(|class| &class.name) != wanted
}

/// None while a PodClique is missing: its template is not known.
fn ask(
    gang: &PodGang,
    parts: &[GangPart],
    facts: &QueueingFacts,
    name: &str,
    asked: &PodCounts,
) -> Option<Action> {
    let is_known = |name: &String| {
        let mut all = parts.iter();
        let part = all.find(|part| part.name == *name);
        facts.cliques.contains_key(name) && part.is_some_and(|p| p.podclique.is_some())
    };
    let is_complete = asked.keys().all(is_known);
    is_complete.then(|| Action::create(workload::build(gang, parts, facts, name, asked)))
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
    let mut actions: Vec<Action> = staying(facts)
        .filter_map(|workload| match grant_of(workload) {
            Some(granted) => release::with_progress(gang, facts, workload, granted, now)
                .map(Action::replace_status),
            None => plan_growth(gang, facts, (workload, grants), &missing, now),
        })
        .collect();
    let is_asking = facts.workloads.iter().any(|w| grant_of(w).is_none());
    if !missing.is_empty() && !is_asking && facts.find_hindrance().is_none() {
        let name = ownership::name(&gang.metadata);
        let mut names = (1..=facts.workloads.len().saturating_add(1))
            .map(|number| workload::growth_name(name, number));
        let free = names.find(|name| facts.find(name).is_none());
        let created = free.and_then(|free| ask(gang, &snapshot.parts, facts, &free, &missing));
        actions.extend(created);
    }
    actions
}

/// A request for pods that were added later, before its quota is stored or after it was lost.
fn plan_growth(
    gang: &PodGang,
    facts: &QueueingFacts,
    (workload, grants): (&Arc<KueueWorkload>, &[QuotaGrant]),
    missing: &PodCounts,
    now: Timestamp,
) -> Option<Action> {
    let is_wanted = grant::is_wanted(workload, missing);
    if grant::uses_quota(workload) {
        let is_evicted = grant::holds(workload, types::EVICTED);
        if (is_wanted && !is_evicted) || !release::fits(gang, facts, grants) {
            return None;
        }
        let next = || Action::replace_status(release::without_quota(workload, now));
        return Some(if is_wanted { next() } else { give_up(workload) });
    }
    asks_for_others(facts, workload, missing).then(|| give_up(workload))
}
