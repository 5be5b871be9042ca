//! A replica with two anchors: a newer Go operator, which updated it by `Coherent`, gave each version of
//! it a gang of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::adopted::{expect_gangs, expect_kept, uids};
use super::updated::{CLIQUES, WATCHED, ended, version};
use super::{delete_all_with_map, epochs, maps, patch, runs, stopped};
use crate::harness::history::History;
use crate::harness::history::course::Course;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same};

/// The pods by name, with their uids.
fn pods(ns: &Namespace<'_>) -> Vec<(String, Value)> {
    let all = uids(&ns.look().unwrap()).into_iter();
    all.filter(|(called, _)| called.starts_with("Pod/"))
        .collect()
}

/// The pods of the router were in both gangs, and a group replica beyond `minAvailable` was in one of
/// them: they are in gangs of their own now.
#[test]
fn they_are_adopted_and_a_new_template_replaces_each_pod_once() {
    let _turn = epochs::turn();
    let lane = stopped("adopt-anchors");
    let ns = lane.namespace();
    epochs::two_anchors(&ns);
    let before = pods(&ns);
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 11));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(pods(&ns), before);
    assert_eq!(maps(&ns), "podgangmap.grove.io/llm-0\n");

    patch(&ns, &json!(version(CLIQUES)));
    ns.until("version 2 runs", |seen| ended(seen, 11, 11));
    history.catch_up(&ns);
    let course = Course::of(history.moments(), WATCHED);
    assert_eq!(course.going.len(), 11, "each was replaced once");
    assert_eq!((course.fewest, course.fewest_units), (1, 2));
    assert_eq!(history.slots_held_by_more_than(2), BTreeSet::new());
    delete_all_with_map(&ns);
}

/// The pods of the first anchor of a half updated replica.
const FIRST_ANCHOR: [&str; 4] = [
    "llm-0-model-0-leader#0",
    "llm-0-model-0-worker#0",
    "llm-0-model-0-worker#1",
    "llm-0-router#0",
];

/// All pods have the newest template, and the update has ended.
fn is_updated(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(11)?;
    for pod in seen.all("Pod") {
        let env = pod["spec"]["containers"][0]["env"].as_array().unwrap();
        let is_new = env.contains(&json!({"name": "MODEL", "value": "large"}));
        same(name(pod), &is_new, &true)?;
    }
    let set = &seen.one("PodCliqueSet", "llm")?["status"];
    same("updated", &set["updatedReplicas"], &json!(1))?;
    same("available", &set["availableReplicas"], &json!(1))?;
    let progress = &set["updateProgress"];
    let has_ended = progress["updateEndedAt"].is_string();
    same("whether it ended", &has_ended, &true)?;
    for field in [
        "currentlyUpdating",
        "inScopeStandalonePodCliques",
        "inScopePodCliqueScalingGroups",
    ] {
        same(field, &progress[field], &Value::Null)?;
    }
    expect_gangs(seen, &["llm-0", "llm-0-model-0", "llm-0-model-1"])
}

/// Its second anchor has the newest template already, and the group replica that was scaled out, too:
/// only the first anchor is replaced.
#[test]
fn a_coherent_update_that_was_left_half_done_is_ended_without_a_second_restart() {
    let _turn = epochs::turn();
    let lane = stopped("adopt-half-coherent");
    let ns = lane.namespace();
    epochs::half_updated(&ns);
    let found = ns.look().unwrap();
    let is_old = |object: &&Value| {
        object["metadata"]["labels"]["grove.io/pod-template-hash"] == epochs::OLDER
    };
    let old: BTreeSet<&str> = found
        .everything()
        .into_iter()
        .filter(is_old)
        .map(name)
        .collect();
    assert_eq!(old.len(), 4 + 2, "pods and PodCliques: {old:?}");
    let mut kept = uids(&found);
    kept.retain(|called, _| {
        let (kind, object) = called.split_once('/').unwrap();
        kind != "PodGang" && !old.contains(object)
    });
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("the update has ended", is_updated);
    history.catch_up(&ns);
    let replaced = BTreeSet::from(FIRST_ANCHOR);
    assert_eq!(history.slots_deleted(), replaced);
    assert_eq!(history.slots_held_twice(), replaced);
    assert_eq!(history.slots_held_by_more_than(2), BTreeSet::new());
    expect_kept(&ns.look().unwrap(), &kept).unwrap();
    delete_all_with_map(&ns);
}
