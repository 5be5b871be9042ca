//! The leader ends in the middle of its work, at each kind of write; the other continues.
//!
//! The rounds prove one property each, by the write after which the leader ends:
//!
//! | write | the other operator afterwards |
//! |---|---|
//! | create of an object | finds the part that exists, and creates the rest |
//! | create of a pod | gives the other slots a pod, and that one no second |
//! | update or patch of an object | continues the change that has reached some of the objects |
//! | patch of a pod | opens the gates that are left |
//! | update of a status | takes the stored step for done, and does not repeat it |
//! | delete of an object or a pod | replaces the pods that are gone, once |
//! | create or patch of an event | neither waits for the event nor repeats the reported action |
//!
//! Rounds for other resources of a row would prove the same: the other reads everything again once it
//! leads, as an operator that starts does. `crash` ends that one at every resource. In `tests/sim` an
//! operator ends at every write, and the next one begins with older lists; or a second one joins it.
//!
//! The first round proves besides that the other waits for all of the lease. In later ones the test
//! shortens the lease of the leader that has ended, so that the other waits for its end in the same way,
//! but not for 30 s.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitStatus;

use serde_json::{Value, json};

use super::pair::{LEASE, Pair, soon};
use super::writers::{Moment, Write, expect_no_overlap, writes_in};
use crate::harness::installation::SYSTEM;
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same, wait};
use crate::updates::probe;

/// Exit code of a run that had to end after a write.
const TOLD_TO_END: Option<i32> = Some(77);
/// Seconds of a lease that is shortened: long enough for the last answers to the leader that has ended.
const SHORT_LEASE: u32 = 5;
const OF_SET: &str = "app.kubernetes.io/part-of";

#[test]
fn after_each_kind_of_write_the_other_continues_and_never_do_both_write() {
    let pair = Pair::start("pair-ended", &soon());
    let ns = pair.namespace();
    let undisturbed = Round::new(&pair, &ns, 0).live_through();
    pair.first.terminate();
    pair.second.terminate();
    let steps = steps(&undisturbed);
    let mut cut_short = 0;
    for step in steps.iter().copied() {
        pair.first.start_for_writes(step).unwrap();
        pair.first.wait_until_leads();
        pair.second.start_again().unwrap();
        pair.second.wait_until_ready().unwrap();
        let mut round = Round::new(&pair, &ns, step);
        round.waits_for_whole_lease = steps.first() == Some(&step);
        round.live_through();
        cut_short += usize::from(round.was_cut_short());
        pair.second.terminate();
    }
    assert!(cut_short * 4 >= steps.len() * 3, "{cut_short} of {steps:?}");
    pair.second.start_again().unwrap();
}

/// Numbers of the writes after which the leader ends, one of each kind: the first write of the resource
/// that comes last, as most of the kind's work lies around it.
fn steps(writes: &[Write]) -> BTreeSet<usize> {
    let mut signatures = BTreeSet::new();
    let mut steps = BTreeMap::new();
    for (n, write) in (1..).zip(writes) {
        if signatures.insert(&write.signature) {
            steps.insert(kind(write), n);
        }
    }
    steps.into_values().collect()
}

/// The row of the table: the verb and its object.
fn kind(write: &Write) -> (&str, &str) {
    let mut words = write.signature.split(' ');
    let verb = words.next().unwrap_or_default();
    let about = match (words.next(), words.next()) {
        (Some("pods"), _) => "pod",
        (Some("events"), _) => "event",
        (_, Some("status")) => "status",
        _ => "object",
    };
    (verb, about)
}

/// The life of one set, during which the leader may end.
struct Round<'a> {
    pair: &'a Pair,
    ns: &'a Namespace<'a>,
    set: String,
    waits_for_whole_lease: bool,
    /// How the leader ended.
    end: Cell<Option<ExitStatus>>,
}

impl<'a> Round<'a> {
    fn new(pair: &'a Pair, ns: &'a Namespace<'a>, step: usize) -> Self {
        Self {
            pair,
            ns,
            set: format!("svc{step}"),
            waits_for_whole_lease: true,
            end: Cell::new(None),
        }
    }

    /// The set is created, updated, breaks, and is terminated as a gang. Returns all writes.
    fn live_through(&self) -> Vec<Write> {
        let began = Moment::now();
        live_through(self);
        let writes = writes_in(&self.ns.name, &began);
        expect_no_overlap(&writes, &self.pair.first, &self.pair.second);
        writes
    }

    /// Whether the leader has ended as it had to; else it is stopped.
    fn was_cut_short(&self) -> bool {
        self.notice_end();
        let Some(end) = self.end.get() else {
            self.pair.first.terminate();
            return false;
        };
        assert_eq!(end.code(), TOLD_TO_END);
        true
    }

    /// Shortens the lease once its holder has ended, as an administrator may do.
    fn notice_end(&self) {
        let Some(end) = self.pair.first.ended() else {
            return;
        };
        self.end.set(Some(end));
        if self.waits_for_whole_lease {
            return;
        }
        let patch = json!({"spec": {"leaseDurationSeconds": SHORT_LEASE}});
        let patch = format!("--patch={patch}");
        let lease = ["patch", "lease", LEASE, "--namespace", SYSTEM];
        let change = ["--type=merge", &patch];
        self.ns
            .control_plane
            .kubectl([&lease[..], &change].concat());
    }

    fn until(&self, what: &str, judge: impl Fn(&Seen) -> Result<(), String>) {
        let reached = wait::until(|| {
            self.notice_end();
            self.ns.judge_labelled((OF_SET, &self.set), |seen| {
                seen.expect_ready_pods(2)?;
                let status = &seen.one("PodCliqueSet", &self.set)?["status"];
                same("available", &status["availableReplicas"], &1.into())?;
                judge(seen)
            })
        });
        reached.unwrap_or_else(|wrong| panic!("{}: {what}: {wrong}", self.set));
    }
}

fn live_through(round: &Round<'_>) {
    let (ns, name) = (round.ns, round.set.as_str());
    ns.apply(&manifest(name, "1"));
    round.until("it runs", |_| Ok(()));
    ns.apply(&manifest(name, "2"));
    round.until("it is updated", |seen| {
        let progress = &seen.one("PodCliqueSet", name)?["status"]["updateProgress"];
        same("ended", &progress["updateEndedAt"].is_string(), &true)
    });
    ns.break_pods(&format!("{name}-0-a"));
    round.until("it was terminated, once, and runs again", |seen| {
        let status = &seen.one("PodCliqueSet", name)?["status"];
        let attempts = status["replicaAttempts"].as_array().into_iter().flatten();
        let attempts: Vec<_> = attempts.map(|a| &a["attempt"]).collect();
        same("attempts", &attempts, &vec![&json!(1)])
    });
    round.until("all of it says so: nothing more is written", is_reported);
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

fn manifest(name: &str, version: &str) -> Value {
    let mut cliques = [clique("a", 1), clique("b", 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let mut small = set(name, &cliques, &[group("g", "b", 1, 1)]);
    small["spec"]["template"]["terminationDelay"] = json!("1s");
    small["metadata"]["labels"] = json!({OF_SET: name});
    small
}
