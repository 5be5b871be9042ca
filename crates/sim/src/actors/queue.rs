//! Kueue's core with one ClusterQueue, whose quota is a number of pods, and the users of its Workloads.
//!
//! Kueue counts the quota of a Workload until its status has no admission: that of an evicted one is
//! returned by the operator.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::queue::{count_needed, held_by, holds_quota, is_active, is_admitted, is_evicted};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, view};

const KUEUE: &str = "kueue";

/// One move of Kueue, which has quota for so many pods in all; returns whether there was one to make.
pub fn run_kueue(store: &mut Store, pods: i64) -> bool {
    evict_inactive(store) || reserve_quota(store, pods)
}

/// Reserves quota for the first Workload that fits, by priority and then by age, among so many pods in
/// all; returns whether it did.
fn reserve_quota(store: &mut Store, pods: i64) -> bool {
    let all = store.all(Resource::KueueWorkload);
    let used: i64 = all.map(|(_, workload)| held_by(workload)).sum();
    let mut waiting = workloads_that(store, waits);
    waiting.sort_by_key(|(_, workload)| {
        let priority = view::number(workload, "/spec/priority");
        (Reverse(priority), age(workload))
    });
    let fitting = |(id, workload): (Id, Stored)| Some((id, fit(&workload, pods - used)?));
    let Some((id, counts)) = waiting.into_iter().find_map(fitting) else {
        return false;
    };
    admit(store, &id, &counts);
    true
}

fn waits(workload: &Value) -> bool {
    let is_reserved = holds_quota(workload) || view::has_condition(workload, "QuotaReserved");
    is_active(workload) && !is_reserved && !view::is_terminating(workload)
}

/// Uids are numbered.
fn age(workload: &Value) -> u64 {
    let number = view::uid(workload).rsplit('-').next();
    number.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// How many pods of each podSet get so much quota: all, or less where the podSet has a minimum.
fn fit(workload: &Value, free: i64) -> Option<Vec<(String, i64)>> {
    let counts: Vec<(String, i64, i64)> = view::list(workload, "/spec/podSets")
        .map(|set| {
            let count = count_needed(workload, set);
            let minimum = view::at(set, "/minCount").and_then(Value::as_i64);
            let spare = minimum.map_or(0, |minimum| (count - minimum).max(0));
            (view::text(set, "/name").to_owned(), count, spare)
        })
        .collect();
    let asked: i64 = counts.iter().map(|(_, count, _)| count).sum();
    let spare: i64 = counts.iter().map(|(_, _, spare)| spare).sum();
    let mut lacking = (asked - free).max(0);
    if lacking > spare {
        return None;
    }
    let reduced = counts.into_iter().map(|(name, count, spare)| {
        let left_out = lacking.min(spare);
        lacking -= left_out;
        (name, count - left_out)
    });
    Some(reduced.collect())
}

fn admit(store: &mut Store, id: &Id, counts: &[(String, i64)]) {
    let time = store.stamp();
    let assignments: Vec<Value> = counts
        .iter()
        .map(|(name, count)| json!({"name": name, "count": count}))
        .collect();
    store.edit(KUEUE, id, |workload| {
        let was_evicted = is_evicted(workload);
        let admission = json!({"clusterQueue": "gpus", "podSetAssignments": assignments});
        workload["status"]["admission"] = admission;
        set_condition(workload, ("QuotaReserved", true, "QuotaReserved"), &time);
        set_condition(workload, ("Admitted", true, "Admitted"), &time);
        if was_evicted {
            set_condition(workload, ("Evicted", false, "QuotaReserved"), &time);
            set_condition(workload, ("Requeued", true, "QuotaReserved"), &time);
        }
    });
}

/// A Workload that somebody has deactivated loses its quota.
fn evict_inactive(store: &mut Store) -> bool {
    let is_meant = |workload: &Value| !is_active(workload) && is_admitted(workload);
    let found = workloads_that(store, is_meant).into_iter().next();
    let Some((id, _)) = found else {
        return false;
    };
    evict(store, &id, "Deactivated");
    true
}

/// Somebody with more right needs the quota of this Workload.
pub fn evict_workload(store: &mut Store, name: &str) {
    evict(store, &Id::new(Resource::KueueWorkload, name), "Preempted");
}

/// Somebody with more right needs the quota of a Workload: mostly of the newest. Returns whether there is
/// one.
pub fn preempt_workload(store: &mut Store, rng: &mut Rng) -> bool {
    /// In this many of a thousand cases it is any.
    const ANY: usize = 400;
    let mut all = workloads_that(store, is_admitted);
    all.sort_by_key(|(_, workload)| age(workload));
    let any = rng.pick(&all).filter(|_| rng.fork().chance(ANY));
    let Some((id, _)) = any.or(all.last()) else {
        return false;
    };
    let id = id.clone();
    evict(store, &id, "Preempted");
    true
}

fn evict(store: &mut Store, id: &Id, reason: &str) {
    let time = store.stamp();
    store.edit(KUEUE, id, |workload| {
        set_condition(workload, ("Evicted", true, reason), &time);
    });
}

/// A user deactivates a Workload, or activates it.
pub(super) fn toggle_active(store: &mut Store, rng: &mut Rng) {
    let all = workloads_that(store, |workload| !view::is_terminating(workload));
    if let Some((id, workload)) = rng.pick(&all) {
        let active = !is_active(workload);
        set_active(store, id, active);
    }
}

/// All Workloads take part again.
pub fn activate_all(store: &mut Store) {
    for (id, _) in workloads_that(store, |workload| !is_active(workload)) {
        set_active(store, &id, true);
    }
}

fn set_active(store: &mut Store, id: &Id, active: bool) {
    store.edit("user", id, |workload| {
        workload["spec"]["active"] = json!(active);
    });
}

fn workloads_that(store: &Store, holds: impl Fn(&Value) -> bool) -> Vec<(Id, Stored)> {
    let all = store.all(Resource::KueueWorkload);
    all.filter(|(_, workload)| holds(workload))
        .map(|(id, workload)| (id.clone(), workload.clone()))
        .collect()
}

fn set_condition(workload: &mut Value, (type_, holds, reason): (&str, bool, &str), time: &str) {
    let next = json!({
        "type": type_,
        "status": if holds { "True" } else { "False" },
        "reason": reason,
        "message": "",
        "lastTransitionTime": time,
    });
    let conditions = &mut workload["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    if let Some(all) = conditions.as_array_mut() {
        all.retain(|condition| view::text(condition, "/type") != type_);
        all.push(next);
    }
}
