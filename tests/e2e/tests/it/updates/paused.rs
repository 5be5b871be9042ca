//! A paused update replaces nothing and goes on when it is resumed.

mod terminated;

use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::{ended, running, workload};
use crate::harness::history::watch;
use crate::harness::{Seen, condition, same};

/// An event of the update comes within this time.
const LIMIT: Duration = Duration::from_mins(3);

fn paused(version: &str, paused: bool) -> Value {
    let mut next = workload(version);
    next["spec"]["updateStrategy"] = json!({"type": "RollingRecreate", "paused": paused});
    next
}

fn expect_paused(seen: &Seen) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"False/Paused".to_owned())?;
    let ready = condition(set, "Ready");
    same("Ready", &ready, &"True/UpdatePaused".to_owned())
}

#[test]
fn a_template_waits_while_it_is_paused_and_scaling_goes_on() {
    let ns = running("paused-before");
    ns.apply(&paused("2", true));
    ns.until("it waits", |seen| {
        expect_paused(seen)?;
        let pods = seen.all("Pod");
        let old = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "1");
        same("pods of version 1", &old.count(), &30)
    });
    ns.kubectl(&["scale", "pclq", "svc-0-web", "--replicas=5"]);
    ns.until("one more pod runs", |seen| seen.expect_ready_pods(31));
    ns.kubectl(&["scale", "pclq", "svc-0-web", "--replicas=4"]);
    ns.apply(&paused("2", false));
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}

/// The replica that gets the first turn in these states of the set.
fn read_first_turn(events: &Receiver<Value>) -> Value {
    loop {
        let event = events.recv_timeout(LIMIT).unwrap();
        let progress = &event["object"]["status"]["updateProgress"];
        let turn = &progress["currentlyUpdating"][0]["replicaIndex"];
        if !turn.is_null() {
            return turn.clone();
        }
    }
}

/// Replica 0 has pods of both versions.
fn is_in_the_middle(seen: &Seen) -> Result<(), String> {
    let pods = seen.all("Pod").into_iter();
    let of_first = pods.filter(|pod| {
        let replica = &pod["metadata"]["labels"]["grove.io/podcliqueset-replica-index"];
        replica == "0"
    });
    let versions: BTreeSet<&str> = of_first
        .filter_map(|pod| pod["metadata"]["annotations"]["example.com/version"].as_str())
        .collect();
    same("versions", &versions, &BTreeSet::from(["1", "2"]))
}

/// A replica that is down gets the turn before the others, but not before the one that had it. Each new
/// pod takes some seconds, so the pause comes in the middle.
#[test]
fn a_pause_in_the_middle_ends_the_turn_and_the_same_replica_goes_on() {
    let ns = running("paused-middle");
    let slowly = |is_paused: bool| {
        let mut next = paused("2", is_paused);
        next["spec"]["template"]["cliques"][0]["rollingUpdate"] = json!({"minReadySeconds": 2});
        next
    };
    ns.apply(&slowly(false));
    ns.until("the first replica is in turn", |seen| {
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let turn = &status["updateProgress"]["currentlyUpdating"][0]["replicaIndex"];
        same("turn", turn, &0.into())?;
        is_in_the_middle(seen)
    });
    ns.apply(&slowly(true));
    ns.until("the turn is over", |seen| {
        expect_paused(seen)?;
        is_in_the_middle(seen)?;
        let progress = &seen.one("PodCliqueSet", "svc")?["status"]["updateProgress"];
        same("end", &progress["updateEndedAt"].is_null(), &true)?;
        same("turn", &progress["currentlyUpdating"].is_null(), &true)
    });
    ns.break_pods("svc-2-web");
    ns.until("replica 2 is down", |seen| {
        let breach = condition(seen.one("PodClique", "svc-2-web")?, "MinAvailableBreached");
        same("breach", &breach.starts_with("True"), &true)
    });
    let sets = ("grove.io", "v1alpha1", "PodCliqueSet");
    let (events, _runtime) = watch::begin_of(&ns, sets);
    ns.apply(&slowly(false));
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
    assert_eq!(read_first_turn(&events), 0);
}
