//! Quota of gangs in queues, as PodGangs, pods and Workloads show it.

use api::labels;
use serde_json::Value;

use crate::view;

const CONDITION: &str = "QuotaReserved";

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
    granted_pods(gang)
        .map(|pods| view::number(pods, "/count"))
        .sum()
}

/// The pods that have quota, by PodClique and flavor.
pub fn granted_pods(gang: &Value) -> impl Iterator<Item = &Value> {
    view::list(gang, "/status/quota/grants").flat_map(|grant| view::list(grant, "/pods"))
}

/// Whether our gate of the pod is gone.
pub fn may_run(pod: &Value) -> bool {
    !view::gates(pod).contains(&labels::POD_GANG_GATE)
}

/// Whether quota is reserved for the Workload.
pub fn holds_quota(workload: &Value) -> bool {
    view::at(workload, "/status/admission").is_some_and(|admission| !admission.is_null())
}

/// How many pods the Workload asks for, without those that were given back.
pub fn size_of(workload: &Value) -> i64 {
    let sum = |pointer: &str| -> i64 {
        let pods = view::list(workload, pointer);
        pods.map(|pods| view::number(pods, "/count")).sum()
    };
    sum("/spec/podSets") - sum("/status/reclaimablePods")
}
