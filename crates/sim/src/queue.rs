//! Quota of gangs in queues, as PodGangs, pods and Workloads show it.

use api::kueue::{keys, types};
use api::labels;
use serde_json::Value;

use crate::view;

const CONDITION: &str = "QuotaReserved";

/// Whether the set, or the gang, names a queue.
pub fn names_queue(object: &Value) -> bool {
    !view::label(object, keys::QUEUE).is_empty()
}

/// Whether the gang waits in a queue, or has quota.
pub fn is_queued(gang: &Value) -> bool {
    view::list(gang, "/status/conditions").any(|c| view::text(c, "/type") == CONDITION)
}

/// Whether the gang has quota.
pub fn is_reserved(gang: &Value) -> bool {
    view::has_condition(gang, CONDITION)
}

/// How often the gang has lost its quota.
pub fn round_of(gang: &Value) -> i64 {
    view::number(gang, "/status/quota/round")
}

/// How often its gang had lost its quota when the pod was created.
pub fn round_of_pod(pod: &Value) -> i64 {
    view::annotation(pod, labels::QUOTA_ROUND)
        .parse()
        .unwrap_or(0)
}

/// How many pods of the PodClique have quota.
pub fn granted(gang: &Value, podclique: &str) -> i64 {
    granted_pods(gang)
        .filter(|pods| view::text(pods, "/name") == podclique)
        .map(|pods| view::number(pods, "/count"))
        .sum()
}

/// How many pods of the gang have quota.
pub fn granted_in_all(gang: &Value) -> i64 {
    grants(gang).map(size_of_grant).sum()
}

/// The stored quota of the gang, by Workload.
pub fn grants(gang: &Value) -> impl Iterator<Item = &Value> {
    view::list(gang, "/status/quota/grants")
}

/// How many pods have quota by this grant.
pub fn size_of_grant(grant: &Value) -> i64 {
    let pods = view::list(grant, "/pods");
    pods.map(|pods| view::number(pods, "/count")).sum()
}

/// The pods that have quota, by PodClique and flavor.
pub fn granted_pods(gang: &Value) -> impl Iterator<Item = &Value> {
    grants(gang).flat_map(|grant| view::list(grant, "/pods"))
}

/// Whether our gate of the pod is gone.
pub fn may_run(pod: &Value) -> bool {
    !view::gates(pod).contains(&labels::POD_GANG_GATE)
}

/// Whether quota is reserved for the Workload. Kueue gives that of one that is over to others, although its
/// status keeps the admission.
pub fn holds_quota(workload: &Value) -> bool {
    let admission = view::at(workload, "/status/admission");
    admission.is_some_and(|admission| !admission.is_null()) && !is_finished(workload)
}

/// Whether the Workload is over.
pub fn is_finished(workload: &Value) -> bool {
    view::has_condition(workload, types::FINISHED)
}

/// Whether the pods of the Workload have to end.
pub fn is_evicted(workload: &Value) -> bool {
    view::has_condition(workload, "Evicted")
}

/// Whether the pods of the Workload may start.
pub fn is_admitted(workload: &Value) -> bool {
    let stays = !is_evicted(workload) && !view::is_terminating(workload);
    holds_quota(workload) && view::has_condition(workload, "Admitted") && stays
}

/// Whether the Workload takes part at all.
pub fn is_active(workload: &Value) -> bool {
    view::at(workload, "/spec/active") != Some(&Value::Bool(false))
}

/// How many pods the Workload asks for, without those that were given back.
pub fn asked_by(workload: &Value) -> i64 {
    let sets = view::list(workload, "/spec/podSets");
    sets.map(|set| count_needed(workload, set)).sum()
}

/// How many pods of the podSet need quota: all but those that were given back.
pub fn count_needed(workload: &Value, pod_set: &Value) -> i64 {
    let given_back = count_in(workload, "/status/reclaimablePods", pod_set);
    view::number(pod_set, "/count") - given_back.unwrap_or(0)
}

/// How many pods Kueue counts for the Workload: as many as were admitted, without those given back.
pub fn held_by(workload: &Value) -> i64 {
    const ASSIGNED: &str = "/status/admission/podSetAssignments";
    if !holds_quota(workload) {
        return 0;
    }
    let held = |set: &Value| {
        let needed = count_needed(workload, set);
        let admitted = count_in(workload, ASSIGNED, set);
        admitted.map_or(needed, |admitted| admitted.min(needed))
    };
    view::list(workload, "/spec/podSets").map(held).sum()
}

/// The number of a podSet in one of the lists of a Workload.
fn count_in(workload: &Value, list: &str, pod_set: &Value) -> Option<i64> {
    let name = view::text(pod_set, "/name");
    let found = view::list(workload, list).find(|entry| view::text(entry, "/name") == name)?;
    view::at(found, "/count")?.as_i64()
}
