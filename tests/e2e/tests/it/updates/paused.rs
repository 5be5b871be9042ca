//! A paused update replaces nothing and goes on when it is resumed.

mod terminated;

use serde_json::{Value, json};

use super::{ended, running, workload};
use crate::harness::{Seen, condition, same};

fn paused(version: &str, paused: bool) -> Value {
    let mut next = workload(version);
    next["spec"]["updateStrategy"] = json!({"type": "RollingRecreate", "paused": paused});
    next
}

fn expect_paused(seen: &Seen) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"False/Paused".to_owned())?;
    let ready = condition(set, "Ready");
    same("Ready", &ready, &"True/UpdatePaused".to_owned())
}

#[test]
fn a_template_waits_while_it_is_paused_and_scaling_goes_on() {
    let ns = running("paused-before");
    ns.apply(&paused("2", true));
    ns.until("it waits", |seen| {
        expect_paused(seen)?;
        let pods = seen.all("Pod");
        let old = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "1");
        same("pods of version 1", &old.count(), &30)
    });
    ns.kubectl(&["scale", "pclq", "svc-0-web", "--replicas=5"]);
    ns.until("one more pod runs", |seen| seen.expect_ready_pods(31));
    ns.kubectl(&["scale", "pclq", "svc-0-web", "--replicas=4"]);
    ns.apply(&paused("2", false));
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}

#[test]
fn a_pause_in_the_middle_ends_the_turn_and_the_same_replica_goes_on() {
    let ns = running("paused-middle");
    ns.apply(&paused("2", false));
    ns.until("the first replica is in turn", |seen| {
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let turn = &status["updateProgress"]["currentlyUpdating"][0]["replicaIndex"];
        same("turn", turn, &0.into())
    });
    ns.apply(&paused("2", true));
    ns.until("the turn is over", |seen| {
        expect_paused(seen)?;
        let progress = &seen.one("PodCliqueSet", "svc")?["status"]["updateProgress"];
        same("end", &progress["updateEndedAt"].is_null(), &true)?;
        same("turn", &progress["currentlyUpdating"].is_null(), &true)
    });
    ns.apply(&paused("2", false));
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}
