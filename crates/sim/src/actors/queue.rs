//! Kueue's core with one ClusterQueue: Workloads get quota in the order of priority and age, as long as there
//! is any. All podSets of a Workload get the same ResourceFlavor.
//!
//! Kueue counts the quota of a Workload until its status has no admission: that of an evicted one is
//! returned by the operator.

mod activity;
mod preemption;
mod room;

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::queue::{holds_quota, is_active, is_admitted, is_evicted, is_finished};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::view;

pub use activity::activate_all;
pub(super) use activity::toggle_active;
pub use preemption::{evict_workload, preempt_workload};

const KUEUE: &str = "kueue";

const EVICTED: &str = "Evicted";
const QUOTA_RESERVED: &str = "QuotaReserved";

/// A part of the quota: the name of its ResourceFlavor, empty if it has none, and its number of pods.
/// Flavors are tried in order.
pub type FlavorQuota = (&'static str, i64);

/// One move of Kueue, which has this quota; returns whether there was one to make.
pub fn run_kueue(store: &mut Store, quota: &[FlavorQuota]) -> bool {
    evict_inactive(store) || reserve_quota(store, quota) || preemption::preempt_lower(store, quota)
}

/// A Workload that somebody has deactivated loses its quota.
fn evict_inactive(store: &mut Store) -> bool {
    let is_meant = |workload: &Value| !is_active(workload) && is_admitted(workload);
    let found = workloads_that(store, is_meant).into_iter().next();
    let Some((id, _)) = found else {
        return false;
    };
    evict(store, &id, ("Deactivated", ""));
    true
}

/// Reserves quota for the first Workload that fits, or says why one does not; returns whether it did.
fn reserve_quota(store: &mut Store, quota: &[FlavorQuota]) -> bool {
    let waiting = list_waiting(store);
    let found = waiting.iter().find_map(|id| {
        let (flavor, counts) = room::find(store, store.get(id)?, quota)?;
        Some((id, flavor, counts))
    });
    if let Some((id, flavor, counts)) = found {
        admit(store, id, flavor, &counts);
        return true;
    }
    waiting.iter().any(|id| refuse(store, id, quota))
}

/// Workloads that wait for quota, those of the highest priority first, then the oldest.
fn list_waiting(store: &Store) -> Vec<Id> {
    let all = store.all(Resource::KueueWorkload);
    let mut waiting: Vec<(&Id, &Stored)> = all.filter(|(_, w)| waits(w)).collect();
    waiting.sort_by_key(|(_, w)| (Reverse(priority_of(w)), birth_of(w)));
    waiting.into_iter().map(|(id, _)| id.clone()).collect()
}

fn waits(workload: &Value) -> bool {
    let is_reserved = holds_quota(workload) || view::has_condition(workload, QUOTA_RESERVED);
    let is_over = is_finished(workload) || view::is_terminating(workload);
    is_active(workload) && !is_reserved && !is_over
}

fn priority_of(workload: &Value) -> i64 {
    view::number(workload, "/spec/priority")
}

/// Its place in the order of creation: uids are numbered.
fn birth_of(workload: &Value) -> u64 {
    let number = view::uid(workload).rsplit('-').next();
    number.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn list_holding(store: &Store) -> impl Iterator<Item = (&Id, &Stored)> {
    let all = store.all(Resource::KueueWorkload);
    all.filter(|(_, workload)| holds_quota(workload))
}

fn workloads_that(store: &Store, holds: impl Fn(&Value) -> bool) -> Vec<(Id, Stored)> {
    let all = store.all(Resource::KueueWorkload);
    all.filter(|(_, workload)| holds(workload))
        .map(|(id, workload)| (id.clone(), workload.clone()))
        .collect()
}

fn admit(store: &mut Store, id: &Id, flavor: &str, counts: &[(String, i64)]) {
    let time = store.stamp();
    let assign = |(name, count): &(String, i64)| {
        let mut assignment = json!({"name": name, "count": count});
        if !flavor.is_empty() {
            assignment["flavors"] = json!({"pods": flavor});
        }
        assignment
    };
    let assignments: Vec<Value> = counts.iter().map(assign).collect();
    store.edit(KUEUE, id, |workload| {
        let was_evicted = is_evicted(workload);
        let admission = json!({"clusterQueue": "gpus", "podSetAssignments": assignments});
        workload["status"]["admission"] = admission;
        set_condition(
            workload,
            (QUOTA_RESERVED, true),
            (QUOTA_RESERVED, ""),
            &time,
        );
        set_condition(workload, ("Admitted", true), ("Admitted", ""), &time);
        if was_evicted {
            set_condition(workload, (EVICTED, false), (QUOTA_RESERVED, ""), &time);
            set_condition(workload, ("Requeued", true), (QUOTA_RESERVED, ""), &time);
        }
    });
}

/// Says why the Workload waits; returns whether it did not say so yet.
fn refuse(store: &mut Store, id: &Id, quota: &[FlavorQuota]) -> bool {
    let Some(workload) = store.get(id) else {
        return false;
    };
    let gaps = quota
        .iter()
        .filter_map(|part| room::find_gap(store, workload, part));
    let gaps: Vec<String> = gaps.collect();
    let set = view::text(workload, "/spec/podSets/0/name");
    let gaps = gaps.join(", ");
    let why = format!("couldn't assign flavors to pod set {set}: {gaps}");
    let is_said = view::list(workload, "/status/conditions")
        .any(|c| view::text(c, "/type") == QUOTA_RESERVED && view::text(c, "/message") == why);
    if !is_said {
        let time = store.stamp();
        store.edit(KUEUE, id, |workload| {
            set_condition(
                workload,
                (QUOTA_RESERVED, false),
                ("Pending", why.as_str()),
                &time,
            );
        });
    }
    !is_said
}

fn evict(store: &mut Store, id: &Id, why: (&str, &str)) {
    let time = store.stamp();
    store.edit(KUEUE, id, |workload| {
        set_condition(workload, (EVICTED, true), why, &time);
    });
}

/// Puts a condition with this reason and message in the place of the one of its type.
fn set_condition(
    workload: &mut Value,
    (type_, holds): (&str, bool),
    (reason, message): (&str, &str),
    time: &str,
) {
    let next = json!({
        "type": type_,
        "status": if holds { "True" } else { "False" },
        "reason": reason,
        "message": message,
        "lastTransitionTime": time,
    });
    let all = view::list(workload, "/status/conditions");
    let others = all.filter(|c| view::text(c, "/type") != type_);
    let all: Vec<Value> = others.chain([&next]).cloned().collect();
    workload["status"]["conditions"] = json!(all);
}
