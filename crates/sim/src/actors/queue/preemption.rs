//! Quota that others need more.

use std::cmp::Reverse;

use super::{
    EVICTED, FlavorQuota, birth_of, evict, list_holding, list_waiting, priority_of, workloads_that,
};
use crate::queue::{asked_by, held_by, is_admitted};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, view};

const PREEMPTED: &str = "Preempted";

/// Takes the quota of Workloads with a lower priority if that makes room for the first one that waits:
/// of the lowest first, then of the newest. Those that are not in its way keep theirs. Returns whether
/// one lost it.
pub(super) fn preempt_lower(store: &mut Store, quota: &[FlavorQuota]) -> bool {
    let victims = find_victims(store, quota.iter().map(|(_, pods)| pods).sum());
    for id in &victims {
        let why = "Preempted to accommodate a workload due to prioritization in the ClusterQueue";
        evict(store, id, (PREEMPTED, why));
    }
    !victims.is_empty()
}

/// Somebody with more right needs the quota of this Workload.
pub fn evict_workload(store: &mut Store, name: &str) {
    let id = Id::new(Resource::KueueWorkload, name);
    evict(store, &id, (PREEMPTED, ""));
}

/// Somebody with more right needs the quota of a Workload: mostly of the newest. Returns whether there is
/// one.
pub fn preempt_workload(store: &mut Store, rng: &mut Rng) -> bool {
    /// In this many of a thousand cases it is any.
    const ANY: usize = 400;
    let mut all = workloads_that(store, is_admitted);
    all.sort_by_key(|(_, workload)| birth_of(workload));
    let any = rng.pick(&all).filter(|_| rng.fork().chance(ANY));
    let Some((id, _)) = any.or(all.last()) else {
        return false;
    };
    evict(store, id, (PREEMPTED, ""));
    true
}

/// The Workloads that have to lose their quota for the first one that waits.
fn find_victims(store: &Store, quota: i64) -> Vec<Id> {
    let first = list_waiting(store).into_iter().next();
    let Some(first) = first.and_then(|id| store.get(&id)) else {
        return Vec::new();
    };
    let staying = list_holding(store).filter(|(_, w)| !view::has_condition(w, EVICTED));
    let staying: Vec<(&Id, &Stored)> = staying.collect();
    let used: i64 = staying.iter().map(|(_, w)| held_by(w)).sum();
    let is_lower = |(_, w): &(&Id, &Stored)| priority_of(w) < priority_of(first);
    let mut lower: Vec<(&Id, &Stored)> = staying.into_iter().filter(is_lower).collect();
    lower.sort_by_key(|(_, w)| (priority_of(w), Reverse(birth_of(w))));
    let mut missing = used + asked_by(first) - quota;
    let mut victims = Vec::new();
    for (id, workload) in lower {
        if missing > 0 {
            missing -= held_by(workload);
            victims.push((id, held_by(workload)));
        }
    }
    if missing > 0 {
        return Vec::new();
    }
    let mut needless = -missing;
    let is_needed = |(_, size): &(&Id, i64)| {
        let may_stay = *size <= needless;
        needless -= if may_stay { *size } else { 0 };
        !may_stay
    };
    let needed = victims.into_iter().rev().filter(is_needed);
    needed.map(|(id, _)| id.clone()).collect()
}
