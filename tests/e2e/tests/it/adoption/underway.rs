//! The Go operator was stopped in the middle of something.

use std::collections::BTreeSet;

use serde_json::json;

use super::adopted::{expect_gangs, expect_podcliques, uids};
use super::left::Left;
use super::running::{fill, running};
use super::stopped;
use crate::harness::history::History;
use crate::harness::same;
use crate::harness::seen::name;

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
