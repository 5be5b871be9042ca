//! A set with a start order: pods of the Go operator wait with its own program and token, and
//! continue to; their successors wait with ours, without a token.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::adopted::uids;
use super::left::Left;
use super::running::fill;
use super::{delete_all, runs, stopped};
use crate::harness::history::History;
use crate::harness::seen::name;
use crate::harness::starts::{has_start_signal, pairs};
use crate::harness::{Namespace, Seen, same};

const WORKERS: &str = "llm-0-model-1-worker";

#[test]
fn pods_that_wait_for_others_go_on_and_their_successors_need_no_token() {
    let lane = stopped("adopt-ordered");
    let ns = lane.namespace();
    let left = Left::new(&ns, 3, |set| {
        set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    });
    fill(&left);
    let (before, orders) = (uids(&ns.look().unwrap()), orders(&ns));
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 11));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    let seen = ns.look().unwrap();
    assert_eq!(uids(&seen), before);
    assert_eq!(self::orders(&ns), orders);
    for pod in seen.all("Pod") {
        assert_eq!(
            (pairs(pod), has_start_signal(pod)),
            ("", false),
            "{}",
            name(pod)
        );
    }
    assert_eq!(secrets(&seen.pods(WORKERS)[1]["spec"]), 1);

    let lost = name(seen.pods(WORKERS)[1]).to_owned();
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("its pod is replaced", |seen| {
        runs(seen, 3, 11)?;
        is_ours(seen, &lost)
    });
    delete_all(&ns);
}

/// The dependencies of the PodCliques.
fn orders(ns: &Namespace<'_>) -> Vec<Value> {
    let seen = ns.look().unwrap();
    let all = seen.all("PodClique").into_iter();
    all.map(|c| c["spec"]["startsAfter"].clone()).collect()
}

/// How many of the pod's volumes are Secrets.
fn secrets(spec: &Value) -> usize {
    let volumes = spec["volumes"].as_array().into_iter().flatten();
    volumes.filter(|v| v["secret"].is_object()).count()
}

fn is_ours(seen: &Seen, lost: &str) -> Result<(), String> {
    let pod = seen.pods(WORKERS)[1];
    same("replaced", &(name(pod) != lost), &true)?;
    same("waits for", &pairs(pod), &"llm-0-model-1-leader:1")?;
    same("has the start signal", &has_start_signal(pod), &true)?;
    same("secrets", &secrets(&pod["spec"]), &0)?;
    let first = &pod["spec"]["initContainers"][0];
    same("init container", &first["name"], &json!("grove-initc"))?;
    same(
        "args",
        &first["args"],
        &json!(["--volume=/var/grove/start-order"]),
    )
}
