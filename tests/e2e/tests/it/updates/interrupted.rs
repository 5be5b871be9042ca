//! Interrupted updates: each ends at the newest template.

use serde_json::json;

use super::{ended, running, runs, workload};
use crate::harness::lane::Lane;
use crate::harness::{Namespace, same};

#[test]
fn five_templates_within_seconds_end_at_the_last() {
    apply_five_templates(&running("five-templates"));
}

#[test]
fn scaling_in_the_middle_is_kept() {
    scale_in_the_middle(&running("scaled-update"));
}

#[test]
fn a_switch_to_on_delete_ends_it_and_back_again_ends_at_the_newest() {
    switch_strategy(&running("switch"));
}

#[test]
fn a_set_that_is_deleted_in_the_middle_goes() {
    delete_in_the_middle(&running("deleted-update"));
}

#[test]
fn an_operator_that_is_killed_goes_on_where_it_was() {
    let lane = Lane::start("killed-update");
    let ns = lane.namespace();
    ns.apply(&workload("1"));
    ns.until("version 1 runs", |seen| runs(seen, "1", 3));
    kill_in_each_turn(&lane, &ns);
}

/// Five templates within seconds.
pub fn apply_five_templates(ns: &Namespace<'_>) {
    for version in ["2", "3", "4", "5", "6"] {
        ns.apply(&workload(version));
    }
    ns.until("the last one runs", |seen| ended(seen, "6", 3));
}

/// The set is scaled in the middle of an update.
pub fn scale_in_the_middle(ns: &Namespace<'_>) {
    ns.apply(&workload("2"));
    ns.until("the first replica is in turn", |seen| {
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let turn = &status["updateProgress"]["currentlyUpdating"][0]["replicaIndex"];
        same("turn", turn, &0.into())
    });
    ns.kubectl(&["scale", "pcs", "svc", "--replicas=2"]);
    ns.until("two replicas run", |seen| ended(seen, "2", 2));
}

/// `OnDelete` in the middle of an update, and back.
pub fn switch_strategy(ns: &Namespace<'_>) {
    let mut next = workload("2");
    ns.apply(&next);
    next["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    ns.apply(&next);
    ns.until("it has ended", |seen| {
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let end = &status["updateProgress"]["updateEndedAt"];
        same("whether it ended", &end.is_string(), &true)
    });
    next["spec"]["updateStrategy"] = json!({"type": "RollingRecreate"});
    ns.apply(&next);
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}

/// The set is deleted in the middle of an update.
pub fn delete_in_the_middle(ns: &Namespace<'_>) {
    ns.apply(&workload("2"));
    ns.kubectl(&["delete", "pcs", "svc", "--wait=false"]);
    ns.until("nothing is left", |seen| {
        same("objects", &seen.all("Pod").len(), &0)?;
        same("PodCliques", &seen.all("PodClique").len(), &0)
    });
}

/// The operator is killed repeatedly: the objects contain all progress.
pub fn kill_in_each_turn(lane: &Lane, ns: &Namespace<'_>) {
    ns.apply(&workload("2"));
    for replica in 0..3 {
        ns.until("its turn has come", |seen| {
            let status = &seen.one("PodCliqueSet", "svc")?["status"];
            let progress = &status["updateProgress"];
            let turn = progress["currentlyUpdating"][0]["replicaIndex"].as_i64();
            let is_past = progress["updateEndedAt"].is_string();
            same("turn", &(is_past || turn >= Some(replica)), &true)
        });
        lane.operator.kill();
        lane.operator.start_again().unwrap();
    }
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}
