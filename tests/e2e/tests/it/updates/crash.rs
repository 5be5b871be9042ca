//! Pods that crash a moment after they were Ready prove nothing: they cost one pod, and no more.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::room::has_ended;
use super::{pods_of, probe};
use crate::harness::history::History;
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same};

/// Three replicas of two pods, of which one is required.
const PODS: usize = 6;

/// Pods without a readiness probe, whose containers crash again and again from version 2 on.
fn workload(version: &str) -> Value {
    let mut web = clique("web", 2);
    web["spec"]["minAvailable"] = json!(1);
    web["annotations"] = json!({"example.com/version": version});
    if version == "2" {
        web["annotations"]["example.com/crash-loops"] = json!("1");
    }
    let mut pcs = set("svc", &[web], &[]);
    pcs["spec"]["replicas"] = json!(3);
    pcs
}

/// One pod of version 2 has crashed so often that it was Ready and away for longer than the 10 s for
/// which a pod without a probe has to be Ready; nothing else is new.
fn expect_one_lost(seen: &Seen, kept: &BTreeSet<String>) -> Result<(), String> {
    same("old pods", &pods_of(seen, "1"), kept)?;
    same("pods", &seen.all("Pod").len(), &PODS)?;
    let pods = seen.pods("svc-0-web");
    let crashing = pods.last().ok_or("no pod of svc-0-web")?;
    let version = &crashing["metadata"]["annotations"]["example.com/version"];
    same("version", version, &json!("2"))?;
    let restarts = &crashing["status"]["containerStatuses"][0]["restartCount"];
    let is_often = restarts.as_i64() >= Some(5);
    same("five restarts", &is_often, &true).map_err(|e| format!("{e}: {restarts}"))?;
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"True/Progressing".to_owned())?;
    let progress = &set["status"]["updateProgress"];
    let turn = &progress["currentlyUpdating"][0]["replicaIndex"];
    same("turn", turn, &json!(0))?;
    let ready = condition(set, "Ready");
    same("Ready", &ready.starts_with("True/"), &true).map_err(|e| format!("{e}: {ready}"))
}

/// The reproduction of a report: all replicas were replaced in 19 s, and the update *ended*.
#[test]
fn a_template_that_crashes_after_it_was_ready_costs_one_pod() {
    let ns = Namespace::new("crash-after-ready");
    ns.apply(&workload("1"));
    let before = ns.until("version 1 runs", |seen| {
        seen.expect_ready_pods(PODS)?;
        let available = &seen.one("PodCliqueSet", "svc")?["status"]["availableReplicas"];
        same("available", available, &json!(3))?;
        Ok(seen.pods("svc-0-web")[1]["metadata"]["uid"].to_string())
    });
    let mut kept = pods_of(&ns.look().unwrap(), "1");
    assert!(kept.remove(&before), "the pod with the highest index");
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&workload("2"));
    ns.until("one pod crashes", |seen| expect_one_lost(seen, &kept));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::from(["svc-0-web#1"]));

    let mut corrected = workload("3");
    probe(&mut corrected["spec"]["template"]["cliques"][0]);
    ns.apply(&corrected);
    ns.until("the corrected version runs", |seen| {
        seen.expect_ready_pods(PODS)?;
        same("new pods", &pods_of(seen, "3").len(), &PODS)?;
        has_ended(seen, "svc")
    });
}
