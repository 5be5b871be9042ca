//! The Go operator was stopped in the middle of its work.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::adopted::{expect_gangs, expect_kept, expect_parents, expect_podcliques, uids};
use super::left::Left;
use super::running::{fill, running};
use super::stopped;
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same, wait};

/// The leader of the fourth group replica has its pod, the worker one of two, and the gang lists
/// none of them. Returns the existing pods.
fn scale_out(ns: &Namespace<'_>) -> BTreeMap<String, Value> {
    let left = running(ns);
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=4"]);
    let [leader, worker] = left.group_replica(3);
    left.gang("llm-0-model-2", &[(&leader, vec![]), (&worker, vec![])]);
    left.pods(&leader, &[0], true);
    left.pods(&worker, &[0], true);
    uids(&ns.look().unwrap())
}

/// The fourth replica runs, and all earlier objects exist.
fn expect_scaled_out(seen: &Seen, before: &BTreeMap<String, Value>) -> Result<(), String> {
    seen.expect_ready_pods(14)?;
    expect_podcliques(seen)?;
    expect_parents(seen, 4)?;
    let gangs = ["llm-0", "llm-0-model-0", "llm-0-model-1", "llm-0-model-2"];
    expect_gangs(seen, &gangs)?;
    expect_kept(seen, before)
}

#[test]
fn a_scale_out_is_completed() {
    let lane = stopped("adopt-scale-out");
    let ns = lane.namespace();
    let before = scale_out(&ns);
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("it is completed", |seen| expect_scaled_out(seen, &before));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
}

#[test]
fn a_scale_out_is_completed_however_often_the_operator_ends() {
    let lane = stopped("adopt-killed");
    let ns = lane.namespace();
    let before = scale_out(&ns);
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    end_again_and_again(&lane, &ns, |seen| expect_scaled_out(seen, &before));
    lane.operator.start_again().unwrap();
    ns.until("it is completed", |seen| expect_scaled_out(seen, &before));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(history.slots_held_twice(), BTreeSet::new());
}

/// Starts the operator until it is done: each time it ends right after a write, one write later
/// than before.
pub fn end_again_and_again(
    lane: &Lane,
    ns: &Namespace<'_>,
    is_done: impl Fn(&Seen) -> Result<(), String>,
) {
    let ends = (1..=20)
        .find(|n| !ends_after(*n, lane, ns, &is_done))
        .unwrap();
    assert!(ends > 2, "it ended {} times", ends - 1);
}

/// Starts the operator; returns whether it ended after that many writes, and not because all was
/// done.
fn ends_after(
    n: usize,
    lane: &Lane,
    ns: &Namespace<'_>,
    is_done: &impl Fn(&Seen) -> Result<(), String>,
) -> bool {
    lane.operator.start_for_writes(n).unwrap();
    let has_ended = wait::until(|| match lane.operator.ended() {
        Some(status) => same("code", &status.code(), &Some(77)).map(|()| true),
        None => ns.judge(is_done).map(|()| false),
    });
    let has_ended = has_ended.unwrap();
    if !has_ended {
        lane.operator.kill();
    }
    has_ended
}

/// The router's first pod still has the old template, its second has the new one. Only the first is
/// replaced, and that ends the update.
#[test]
fn an_update_continues_where_it_was_left() {
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
        "PodCliqueSet",
        "llm",
        &json!({"updatedReplicas": 0, "updateProgress": started}),
    );
    let mut before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("the update has ended", |seen| {
        seen.expect_ready_pods(11)?;
        let router = &seen.one("PodClique", "llm-0-router")?["status"];
        same("updated pods", &router["updatedReplicas"], &json!(2))?;
        same("replicas", &router["readyReplicas"], &json!(2))?;
        let set = &seen.one("PodCliqueSet", "llm")?["status"];
        same("available", &set["availableReplicas"], &json!(1))?;
        same("updated", &set["updatedReplicas"], &json!(1))?;
        let progress = &set["updateProgress"];
        same(
            "it has ended",
            &progress["updateEndedAt"].is_string(),
            &true,
        )?;
        expect_gangs(seen, &["llm-0", "llm-0-model-0", "llm-0-model-1"])
    });
    history.catch_up(&ns);
    let replaced = BTreeSet::from(["llm-0-router#0"]);
    assert_eq!(history.slots_deleted(), replaced);
    assert_eq!(history.slots_held_twice(), replaced);
    before.retain(|object, _| !object.contains(&old));
    expect_kept(&ns.look().unwrap(), &before).unwrap();
}
