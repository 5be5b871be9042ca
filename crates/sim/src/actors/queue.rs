//! Kueue's core, with one queue: a Workload gets quota as long as there is any.

use serde_json::{Value, json};

use crate::queue::{holds_quota, size_of};
use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;

const KUEUE: &str = "kueue";

/// Reserves quota for the first Workload that fits, among so many pods in all; returns whether it did.
pub fn reserve_quota(store: &mut Store, pods: i64) -> bool {
    let all = || store.all(Resource::KueueWorkload);
    let used: i64 = all()
        .filter(|(_, workload)| holds_quota(workload))
        .map(|(_, workload)| size_of(workload))
        .sum();
    let fits = |workload: &Value| {
        let is_active = view::at(workload, "/spec/active") != Some(&Value::Bool(false));
        let waits = !holds_quota(workload) && !view::is_terminating(workload);
        is_active && waits && used + size_of(workload) <= pods
    };
    let found = all().find(|(_, workload)| fits(workload));
    let Some(id) = found.map(|(id, _)| id.clone()) else {
        return false;
    };
    store.edit(KUEUE, &id, |workload| {
        let sets = view::list(workload, "/spec/podSets");
        let assignments: Vec<Value> = sets
            .map(|set| json!({"name": set["name"], "count": set["count"]}))
            .collect();
        let admission = json!({"clusterQueue": "gpus", "podSetAssignments": assignments});
        workload["status"]["admission"] = admission;
        workload["status"]["conditions"] = json!([
            condition("QuotaReserved", true, "QuotaReserved"),
            condition("Admitted", true, "Admitted"),
        ]);
    });
    true
}

/// Somebody with more right needs the quota of this Workload.
pub fn evict_workload(store: &mut Store, name: &str) {
    let id = Id::new(Resource::KueueWorkload, name);
    store.edit(KUEUE, &id, |workload| {
        let evicted = condition("Evicted", true, "Preempted");
        if let Some(all) = workload["status"]["conditions"].as_array_mut() {
            all.push(evicted);
        }
    });
}

fn condition(type_: &str, holds: bool, reason: &str) -> Value {
    json!({
        "type": type_,
        "status": if holds { "True" } else { "False" },
        "reason": reason,
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}
