//! The leader ends in the middle of its work, at each kind of write; the other continues.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::pair::{Pair, soon};
use super::writers::{Write, expect_no_overlap, now, writes_in};
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same};
use crate::updates::probe;

/// Exit code of a run that had to end after a write.
const TOLD_TO_END: Option<i32> = Some(77);

#[test]
fn after_each_kind_of_write_the_other_continues_and_never_do_both_write() {
    let pair = Pair::start("pair-ended", &soon());
    let ns = pair.namespace();
    let began = now();
    live_through(&ns, "svc0");
    let undisturbed = writes_in(&ns.name, began);
    expect_no_overlap(&undisturbed, &pair.first, &pair.second);
    pair.first.terminate();
    pair.second.terminate();
    let mut cut_short = 0;
    let steps = steps(&undisturbed);
    for n in &steps {
        pair.first.start_for_writes(*n).unwrap();
        pair.first.wait_until_leads();
        pair.second.start_again().unwrap();
        pair.second.wait_until_ready().unwrap();
        let began = now();
        live_through(&ns, &format!("svc{n}"));
        expect_no_overlap(&writes_in(&ns.name, began), &pair.first, &pair.second);
        if let Some(ended) = pair.first.ended() {
            assert_eq!(ended.code(), TOLD_TO_END);
            cut_short += 1;
        } else {
            pair.first.terminate();
        }
        pair.second.terminate();
    }
    assert!(cut_short * 4 >= steps.len() * 3, "{cut_short} of {steps:?}");
    pair.second.start_again().unwrap();
}

/// Numbers of the first write of each signature.
fn steps(writes: &[Write]) -> Vec<usize> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, write) in (1..).zip(writes) {
        first.entry(&write.signature).or_insert(n);
    }
    let mut steps: Vec<usize> = first.into_values().collect();
    steps.sort_unstable();
    steps
}

/// The set is created, updated, breaks, and is terminated as a gang.
fn live_through(ns: &Namespace<'_>, name: &str) {
    ns.apply(&manifest(name, "1"));
    until(ns, name, "it runs", |_| Ok(()));
    ns.apply(&manifest(name, "2"));
    until(ns, name, "it is updated", |seen| {
        let progress = &seen.one("PodCliqueSet", name)?["status"]["updateProgress"];
        same("ended", &progress["updateEndedAt"].is_string(), &true)
    });
    ns.break_pods(&format!("{name}-0-a"));
    until(
        ns,
        name,
        "it was terminated, once, and runs again",
        |seen| {
            let status = &seen.one("PodCliqueSet", name)?["status"];
            let attempts = status["replicaAttempts"].as_array();
            let attempts: Vec<_> = attempts
                .into_iter()
                .flatten()
                .map(|a| &a["attempt"])
                .collect();
            same("attempts", &attempts, &vec![&json!(1)])
        },
    );
    until(
        ns,
        name,
        "all of it says so: nothing more is written",
        is_reported,
    );
}

/// Counts may be written a moment after the set's condition.
fn is_reported(seen: &Seen) -> Result<(), String> {
    let counts = ["replicas", "scheduledReplicas", "updatedReplicas"];
    let kinds = [
        (
            "PodClique",
            "AllReady",
            &[&counts[..], &["readyReplicas"]].concat(),
        ),
        (
            "PodCliqueScalingGroup",
            "AllReady",
            &[&counts[..], &["availableReplicas"]].concat(),
        ),
        ("PodGang", "GuaranteedPodsReady", &vec![]),
    ];
    for (kind, reason, counts) in kinds {
        for object in seen.all(kind) {
            let ready = format!("True/{reason}");
            same(kind, &condition(object, "Ready"), &ready)?;
            let status = &object["status"];
            let mut counts = counts.iter();
            counts.try_for_each(|count| same(count, &status[*count], &1.into()))?;
        }
    }
    Ok(())
}

fn until(ns: &Namespace<'_>, name: &str, what: &str, judge: impl Fn(&Seen) -> Result<(), String>) {
    let of_set = format!("app.kubernetes.io/part-of={name}");
    ns.until(&format!("{name}: {what}"), |_| {
        let seen = ns.look_at(&of_set)?;
        seen.expect_ready_pods(2)?;
        let status = &seen.one("PodCliqueSet", name)?["status"];
        same("available", &status["availableReplicas"], &1.into())?;
        judge(&seen)
    });
}

fn manifest(name: &str, version: &str) -> Value {
    let mut cliques = [clique("a", 1), clique("b", 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let mut small = set(name, &cliques, &[group("g", "b", 1, 1)]);
    small["spec"]["template"]["terminationDelay"] = json!("1s");
    small["metadata"]["labels"] = json!({"app.kubernetes.io/part-of": name});
    small
}
