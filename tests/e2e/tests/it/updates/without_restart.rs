//! Changes that reach existing objects without restarting a pod.

use std::collections::BTreeSet;

use serde_json::json;

use super::{running, workload};
use crate::harness::{Namespace, Seen, same};

fn uids(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter();
    pods.map(|p| p["metadata"]["uid"].to_string()).collect()
}

/// Grove #565: six patches of counts within seconds recreated whole gangs.
#[test]
fn counts_delays_and_budgets_restart_nothing() {
    patch_six_times(&running("no-restart"));
}

/// Six patches that restart nothing, within seconds.
pub fn patch_six_times(ns: &Namespace<'_>) {
    let kept = uids(&ns.look().unwrap());
    for replicas in [5, 6, 5, 6, 5, 6] {
        let mut next = workload("1");
        next["spec"]["template"]["cliques"][0]["spec"]["replicas"] = replicas.into();
        next["spec"]["template"]["terminationDelay"] = json!("1h");
        next["spec"]["template"]["headlessServiceConfig"] =
            json!({"publishNotReadyAddresses": false});
        let group = &mut next["spec"]["template"]["podCliqueScalingGroups"][0];
        group["rollingUpdate"] = json!({"maxUnavailable": 2});
        ns.apply(&next);
    }
    ns.until("six pods each, and all that were there", |seen| {
        seen.expect_ready_pods(36)?;
        let are_kept = kept.is_subset(&uids(seen));
        same("pods are kept", &are_kept, &true)?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        same("no update", &status["updateProgress"].is_null(), &true)
    });
}
