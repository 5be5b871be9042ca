//! The Go operator was stopped in the middle of something.

use std::collections::BTreeSet;

use serde_json::json;
use testkit::cluster::MANUAL_STATUS_LABEL;

use super::adopted::{expect_gangs, expect_podcliques, uids};
use super::left::Left;
use super::running::{fill, gang, pods, running};
use super::stopped;
use crate::harness::history::History;
use crate::harness::seen::{gates, name};
use crate::harness::{Seen, condition, same};

/// The leader of the fourth group replica has its pod, the worker one of two, and the gang lists
/// none of them.
#[test]
fn a_scale_out_is_completed() {
    let lane = stopped("adopt-scale-out");
    let ns = lane.namespace();
    let left = running(&ns);
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=4"]);
    let [leader, worker] = left.group_replica(3);
    left.gang("llm-0-model-2", &[(&leader, vec![]), (&worker, vec![])]);
    left.pods(&leader, &[0], true);
    left.pods(&worker, &[0], true);
    let before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("the fourth replica runs", |seen| {
        seen.expect_ready_pods(14)?;
        expect_podcliques(seen)?;
        let gangs = ["llm-0", "llm-0-model-0", "llm-0-model-1", "llm-0-model-2"];
        expect_gangs(seen, &gangs)?;
        let now = uids(seen);
        let is_kept = before
            .iter()
            .all(|(called, uid)| now.get(called) == Some(uid));
        same("all is there that was", &is_kept, &true)
    });
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
}

/// The Go operator lists the pods of a scaled gang at once, and keeps their gates closed until the
/// base gang has nodes.
#[test]
fn a_scaled_gang_goes_on_waiting_for_its_base_gang() {
    let lane = stopped("adopt-waiting");
    let ns = lane.namespace();
    let left = Left::new(&ns, 2, |set| {
        // Its leaders get ready by hand.
        set["spec"]["template"]["cliques"][1]["labels"][MANUAL_STATUS_LABEL] = json!("true");
    });
    let mut base = vec![left.router()];
    base.extend(left.group_replica(0));
    gang(&left, "llm-0", &base);
    let [leader, worker] = left.group_replica(1);
    let held = [&leader, &worker].map(|part| (part, pods(&left, part, true)));
    left.gang("llm-0-model-0", &held);

    lane.operator.start_again().unwrap();
    let first = ns.until("all is adopted, and the scaled gang waits", |seen| {
        let parts = ["llm-0-model-1-leader", "llm-0-model-1-worker"];
        for pod in parts.iter().flat_map(|part| seen.pods(part)) {
            let hash = pod["metadata"]["labels"]["grove.io/pod-template-hash"].as_str();
            let is_adopted = hash.is_some_and(|hash| hash.starts_with("r1"));
            same("adopted", &is_adopted, &true)?;
            same("gates", &gates(pod).len(), &1)?;
        }
        for part in parts {
            let status = &seen.one("PodClique", part)?["status"];
            let gated = &status["scheduleGatedReplicas"];
            same("gated", gated, &seen.pods(part).len().into())?;
            let is = condition(seen.one("PodClique", part)?, "MinAvailableBreached");
            same("breach", &is.as_str(), &"False/NeverAvailable")?;
        }
        expect_gangs_opened(seen, "llm-0")?;
        Ok(name(seen.pods("llm-0-model-0-leader")[0]).to_owned())
    });
    ns.set_pod_ready(&first);
    let second = ns.until("the base gang is ready, the scaled one starts", |seen| {
        let pods = seen.pods("llm-0-model-1-leader");
        same("gates", &gates(pods[0]).len(), &0)?;
        Ok(name(pods[0]).to_owned())
    });
    ns.set_pod_ready(&second);
    ns.until("all runs", |seen| {
        seen.expect_ready_pods(8)?;
        expect_gangs(seen, &["llm-0", "llm-0-model-0"])
    });
}

/// Only the gang of this name is followed.
fn expect_gangs_opened(seen: &Seen, name: &str) -> Result<(), String> {
    let is_open = |gang: &&serde_json::Value| {
        gang["metadata"]["annotations"]["grove.io/list-opens-gates"] == "true"
    };
    let open = seen.all("PodGang").into_iter().filter(is_open);
    let open: Vec<_> = open.map(crate::harness::seen::name).collect();
    same("open gangs", &open, &vec![name])
}

/// The router's first pod still has the old template, its second has the new one.
#[test]
fn an_update_stands_still_and_restarts_nothing() {
    const OLDER: &str = "4fb8c7d659";
    let lane = stopped("adopt-update");
    let ns = lane.namespace();
    let left = Left::new(&ns, 3, |_| {});
    fill(&left);
    let old = name(ns.look().unwrap().pods("llm-0-router")[0]).to_owned();
    let label = format!("grove.io/pod-template-hash={OLDER}");
    ns.kubectl(&["label", "--overwrite", "pod", &old, &label]);
    let started = json!({"updateStartedAt": super::meta::THEN});
    left.report(
        "pcs",
        "llm",
        &json!({"updatedReplicas": 0, "updateProgress": started}),
    );
    let before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| {
        seen.expect_ready_pods(11)?;
        let router = &seen.one("PodClique", "llm-0-router")?["status"];
        same("updated pods", &router["updatedReplicas"], &json!(1))?;
        same("replicas", &router["readyReplicas"], &json!(2))?;
        let hash = &seen.pods("llm-0-router")[0]["metadata"]["labels"];
        same("hash", &hash["grove.io/pod-template-hash"], &json!(OLDER))?;
        let set = &seen.one("PodCliqueSet", "llm")?["status"];
        same("available", &set["availableReplicas"], &json!(1))?;
        same("updated", &set["updatedReplicas"], &json!(0))?;
        expect_gangs(seen, &["llm-0", "llm-0-model-0", "llm-0-model-1"])
    });
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(uids(&ns.look().unwrap()), before);
}
