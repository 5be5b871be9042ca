//! A replica with two anchors: a newer Go operator, which updated it by `Coherent`, gave each version of
//! it a gang of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::adopted::uids;
use super::updated::{CLIQUES, WATCHED, ended, version};
use super::{delete_all_with_map, epochs, maps, patch, runs, stopped};
use crate::harness::Namespace;
use crate::harness::history::History;
use crate::harness::history::course::Course;

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
