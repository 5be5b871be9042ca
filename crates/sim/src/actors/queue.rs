//! Kueue's core, with one queue: Workloads get quota in the order of priority and age, as long as there
//! is any. All podSets of a Workload get the same ResourceFlavor.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::queue::{holds_quota, size_of};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::view;

const KUEUE: &str = "kueue";

const EVICTED: &str = "Evicted";
const QUOTA_RESERVED: &str = "QuotaReserved";

/// A part of the quota: the name of its ResourceFlavor, empty if it has none, and its number of pods.
/// Flavors are tried in order.
pub type FlavorQuota = (&'static str, i64);

/// Reserves quota for the first Workload that fits, or says why one does not; returns whether it did.
pub fn reserve_quota(store: &mut Store, quota: &[FlavorQuota]) -> bool {
    let waiting = list_waiting(store);
    let found = waiting.iter().find_map(|id| {
        let workload = store.get(id)?;
        let fits = |part: &&FlavorQuota| find_gap(store, workload, part).is_none();
        Some((id, quota.iter().find(fits)?.0))
    });
    if let Some((id, flavor)) = found {
        admit(store, id, flavor);
        return true;
    }
    waiting.iter().any(|id| refuse(store, id, quota))
}

/// Takes the quota of Workloads with a lower priority if that makes room for the first one that waits:
/// of the lowest first, then of the newest. Those that are not in its way keep theirs. Returns whether
/// one lost it.
pub fn preempt_lower(store: &mut Store, quota: &[FlavorQuota]) -> bool {
    let victims = find_victims(store, quota.iter().map(|(_, pods)| pods).sum());
    for id in &victims {
        let why = "Preempted to accommodate a workload due to prioritization in the ClusterQueue";
        evict(store, id, why);
    }
    !victims.is_empty()
}

/// Somebody with more right needs the quota of this Workload.
pub fn evict_workload(store: &mut Store, name: &str) {
    evict(store, &Id::new(Resource::KueueWorkload, name), "");
}

fn evict(store: &mut Store, id: &Id, why: &str) {
    let evicted = condition(EVICTED, true, "Preempted", why);
    set_condition(store, id, &evicted);
}

/// Workloads that wait for quota, those of the highest priority first, then the oldest.
fn list_waiting(store: &Store) -> Vec<Id> {
    let waits = |workload: &Value| {
        let is_active = view::at(workload, "/spec/active") != Some(&Value::Bool(false));
        is_active && !holds_quota(workload) && !view::is_terminating(workload)
    };
    let all = store.all(Resource::KueueWorkload);
    let mut waiting: Vec<(&Id, &Stored)> = all.filter(|(_, w)| waits(w)).collect();
    waiting.sort_by_key(|(_, w)| (Reverse(priority_of(w)), created_at(w)));
    waiting.into_iter().map(|(id, _)| id.clone()).collect()
}

fn priority_of(workload: &Value) -> i64 {
    view::number(workload, "/spec/priority")
}

fn created_at(workload: &Value) -> String {
    view::text(workload, "/metadata/creationTimestamp").to_owned()
}

fn list_holding(store: &Store) -> impl Iterator<Item = (&Id, &Stored)> {
    let all = store.all(Resource::KueueWorkload);
    all.filter(|(_, workload)| holds_quota(workload))
}

/// Why the Workload cannot have quota of this part, in Kueue's words.
fn find_gap(store: &Store, workload: &Value, (flavor, pods): &FlavorQuota) -> Option<String> {
    if !suits(store, workload, flavor) {
        return Some(format!("flavor {flavor} doesn't match node affinity"));
    }
    let of_flavor = |workload: &Value| {
        let assigned = "/status/admission/podSetAssignments/0/flavors/pods";
        view::text(workload, assigned) == *flavor
    };
    let used = list_holding(store).filter(|(_, other)| of_flavor(other));
    let used: i64 = used.map(|(_, other)| size_of(other)).sum();
    let missing = used + size_of(workload) - pods;
    (missing > 0).then(|| {
        let flavor = if flavor.is_empty() {
            "default"
        } else {
            *flavor
        };
        format!("insufficient unused quota for pods in flavor {flavor}, {missing} more needed")
    })
}

/// Whether no podSet asks for other nodes than the flavor has.
fn suits(store: &Store, workload: &Value, flavor: &str) -> bool {
    let flavor = store.get(&Id::of_cluster(Resource::ResourceFlavor, flavor));
    let labels = flavor.and_then(|flavor| view::at(flavor, "/spec/nodeLabels")?.as_object());
    let mut labels = labels.into_iter().flatten();
    labels.all(|(key, value)| {
        view::list(workload, "/spec/podSets").all(|set| {
            let selector = view::at(set, "/template/spec/nodeSelector");
            let asked = selector.and_then(|selector| selector.get(key));
            asked.is_none_or(|asked| asked == value)
        })
    })
}

fn admit(store: &mut Store, id: &Id, flavor: &str) {
    store.edit(KUEUE, id, |workload| {
        let sets = view::list(workload, "/spec/podSets");
        let assignments: Vec<Value> = sets
            .map(|set| {
                let mut assignment = json!({"name": set["name"], "count": set["count"]});
                if !flavor.is_empty() {
                    assignment["flavors"] = json!({"pods": flavor});
                }
                assignment
            })
            .collect();
        let admission = json!({"clusterQueue": "gpus", "podSetAssignments": assignments});
        workload["status"]["admission"] = admission;
        workload["status"]["conditions"] = json!([
            condition(QUOTA_RESERVED, true, "QuotaReserved", ""),
            condition("Admitted", true, "Admitted", ""),
        ]);
    });
}

/// Says why the Workload waits; returns whether it did not say so yet.
fn refuse(store: &mut Store, id: &Id, quota: &[FlavorQuota]) -> bool {
    let Some(workload) = store.get(id) else {
        return false;
    };
    let gaps = quota.iter().filter_map(|p| find_gap(store, workload, p));
    let gaps: Vec<String> = gaps.collect();
    let set = view::text(workload, "/spec/podSets/0/name");
    let gaps = gaps.join(", ");
    let why = format!("couldn't assign flavors to pod set {set}: {gaps}");
    let is_said = view::list(workload, "/status/conditions")
        .any(|c| view::text(c, "/type") == QUOTA_RESERVED && view::text(c, "/message") == why);
    if !is_said {
        let refused = condition(QUOTA_RESERVED, false, "Pending", &why);
        set_condition(store, id, &refused);
    }
    !is_said
}

/// The Workloads that have to lose their quota for the first one that waits.
fn find_victims(store: &Store, quota: i64) -> Vec<Id> {
    let first = list_waiting(store).into_iter().next();
    let Some(first) = first.and_then(|id| store.get(&id)) else {
        return Vec::new();
    };
    let staying = list_holding(store).filter(|(_, w)| !view::has_condition(w, EVICTED));
    let staying: Vec<(&Id, &Stored)> = staying.collect();
    let used: i64 = staying.iter().map(|(_, w)| size_of(w)).sum();
    let is_lower = |(_, w): &(&Id, &Stored)| priority_of(w) < priority_of(first);
    let mut lower: Vec<(&Id, &Stored)> = staying.into_iter().filter(is_lower).collect();
    lower.sort_by_key(|(_, w)| (priority_of(w), Reverse(created_at(w))));
    let mut missing = used + size_of(first) - quota;
    let mut victims = Vec::new();
    for (id, workload) in lower {
        if missing > 0 {
            missing -= size_of(workload);
            victims.push((id, size_of(workload)));
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

/// Puts it in the place of the one of its type.
fn set_condition(store: &mut Store, id: &Id, next: &Value) {
    store.edit(KUEUE, id, |workload| {
        let all = view::list(workload, "/status/conditions");
        let others = all.filter(|c| c["type"] != next["type"]);
        let all: Vec<Value> = others.chain([next]).cloned().collect();
        workload["status"]["conditions"] = json!(all);
    });
}

fn condition(type_: &str, holds: bool, reason: &str, message: &str) -> Value {
    json!({
        "type": type_,
        "status": if holds { "True" } else { "False" },
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}
