//! A pause in the middle of a replica: nothing more is deleted for the template, and gang termination
//! works in that replica, whose pods come back on the templates that they had.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::expect_paused;
use crate::harness::history::{History, Moment};
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::applied_at;
use crate::harness::{Namespace, Seen, same};
use crate::termination::attempts_of;
use crate::updates::canary::versions;
use crate::updates::{has_ended, probe};

/// Two replicas, each of eight pods and of three group replicas of one pod.
const PODS: usize = 2 * (8 + 3);

fn workload(version: &str, is_paused: bool) -> Value {
    let mut cliques = [clique("web", 8), clique("work", 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    cliques[0]["spec"]["minAvailable"] = json!(2);
    let mut pcs = set("svc", &cliques, &[group("grp", "work", 3, 1)]);
    pcs["spec"]["replicas"] = json!(2);
    pcs["spec"]["template"]["terminationDelay"] = json!("5s");
    pcs["spec"]["updateStrategy"] = json!({"type": "RollingRecreate", "paused": is_paused});
    pcs
}

fn count(versions: &BTreeMap<String, String>, version: &str) -> usize {
    versions.values().filter(|has| *has == version).count()
}

/// The turn is over, and all pods are Ready; the version of each.
fn halted(seen: &Seen) -> Result<BTreeMap<String, String>, String> {
    seen.expect_ready_pods(PODS)?;
    expect_paused(seen)?;
    let progress = &seen.one("PodCliqueSet", "svc")?["status"]["updateProgress"];
    same("turn", &progress["currentlyUpdating"], &Value::Null)?;
    Ok(versions(seen))
}

/// When pods of version 1 were deleted.
fn deletions(moments: &[Moment]) -> Vec<Timestamp> {
    let mut seen = BTreeSet::new();
    let old = moments.iter().filter(|moment| moment.version == "1");
    old.filter_map(|moment| Some((&moment.uid, moment.deleted_at?)))
        .filter(|(uid, _)| seen.insert(*uid))
        .map(|(_, at)| at)
        .collect()
}

#[test]
fn nothing_is_deleted_after_a_second_and_gang_termination_works() {
    let ns = Namespace::new("paused-terminated");
    ns.apply(&workload("1", false));
    ns.until("version 1 runs", |seen| {
        seen.expect_ready_pods(PODS)?;
        let available = &seen.one("PodCliqueSet", "svc")?["status"]["availableReplicas"];
        same("available", available, &json!(2))
    });
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&workload("2", false));
    ns.until("some pods are of version 2", |seen| {
        same("whether", &(count(&versions(seen), "2") >= 2), &true)
    });
    ns.apply(&workload("2", true));
    let before = ns.until("the turn is over", halted);
    let (old, new) = (count(&before, "1"), count(&before, "2"));
    assert!(old > PODS / 2 && new >= 2, "in the middle: {before:?}");
    let paused_at = applied_at(ns.look().unwrap().one("PodCliqueSet", "svc").unwrap());

    ns.break_pods("svc-0-web");
    let fence = ns.until("replica 0 is terminated, and back as it was", |seen| {
        let attempts = attempts_of(seen, "PodCliqueSet", "svc")?;
        same("attempts", &attempts, &vec![(0, 1)])?;
        same("versions", &halted(seen)?, &before)?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        Ok(status["replicaAttempts"][0]["time"].clone())
    });
    expect_nothing_deleted(&ns, &mut history, paused_at, &fence);

    ns.apply(&workload("2", false));
    ns.until("version 2 runs", |seen| {
        seen.expect_ready_pods(PODS)?;
        same("new pods", &count(&versions(seen), "2"), &PODS)?;
        has_ended(seen, "svc")
    });
}

/// From a second after the pause until the termination, which came some seconds later. All times are
/// whole seconds.
fn expect_nothing_deleted(
    ns: &Namespace<'_>,
    history: &mut History,
    paused_at: Timestamp,
    fence: &Value,
) {
    history.catch_up(ns);
    let fence: Timestamp = fence.as_str().unwrap().parse().unwrap();
    let since = |at: Timestamp| at.duration_since(paused_at).as_secs();
    assert!(since(fence) >= 5, "{paused_at} {fence}");
    let deletions = deletions(history.moments());
    let late = deletions
        .iter()
        .filter(|at| since(**at) > 1 && **at < fence);
    assert_eq!(late.collect::<Vec<_>>(), Vec::<&Timestamp>::new());
    let other = history.slots_deleted();
    let other: Vec<_> = other.iter().filter(|s| s.starts_with("svc-1-")).collect();
    assert!(other.is_empty(), "replica 1 had no turn: {other:?}");
}
