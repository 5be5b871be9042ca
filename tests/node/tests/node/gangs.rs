//! Gang termination by kubelets' reports.

use std::time::Duration;

use serde_json::{Value, json};

use super::judge::{has, ready, same};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, message, name, restarts, state, uid};
use super::sets::{clique, serving, sh, sidecar, with, with_delay, with_pod};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "gangs::crash_loop_ends_the_replica",
            "-",
            crash_loop_ends_the_replica,
        ),
        row("gangs::group_replica_alone", "-", group_replica_alone),
        row(
            "gangs::recovery_within_the_delay",
            "-",
            recovery_within_the_delay,
        ),
        row("gangs::sidecar_that_exits_0", "9", sidecar_that_exits_0),
        row("gangs::readiness_that_flaps", "-", readiness_that_flaps).alone(),
        row(
            "gangs::what_never_came_up_is_left_alone",
            "-",
            what_never_came_up_is_left_alone,
        ),
    ]
}

/// Ready for a while, then it crashes after each start.
const BREAKS: &str = "test -e /v/was && exit 1; touch /v/was; sleep 20; exit 1";

/// A clique whose containers record that they ran.
fn remembering(name: &str, replicas: u32, script: &str) -> Value {
    let mut main = sh(script);
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
    let volume = json!({"volumes": [{"name": "v", "emptyDir": {}}]});
    with_pod(clique(name, replicas, &[main]), &volume)
}

fn lives(name: &str) -> Value {
    clique(name, 1, &[sh("exec sleep 1000")])
}

fn uids(seen: &Seen, podclique: &str) -> Vec<String> {
    seen.pods_of(podclique).into_iter().map(uid).collect()
}

/// The pods of a PodClique once all PodCliques were available, which a termination requires: a set
/// whose containers come and go need not be Ready at any moment.
fn uids_when_available(ns: &Namespace, podclique: &str) -> Vec<String> {
    ns.until("all were available", |seen| {
        let never = |pclq: &&Value| pclq["status"]["wasAvailable"] != true;
        let never: Vec<_> = seen
            .all("PodClique")
            .into_iter()
            .filter(never)
            .map(name)
            .collect();
        same("what never was available", never, vec![])?;
        let uids = uids(seen, podclique);
        (!uids.is_empty())
            .then_some(uids)
            .ok_or_else(|| "no pods".to_owned())
    })
}

/// The pods of a PodClique are all new, in an attempt above 0.
fn is_terminated(seen: &Seen, set: &str, podclique: &str, before: &[String]) -> Result<(), String> {
    let attempts = &seen.set(set)?["status"]["replicaAttempts"];
    let now = uids(seen, podclique);
    let is_new = !now.is_empty() && now.iter().all(|uid| !before.contains(uid));
    is_new
        .then_some(())
        .ok_or_else(|| format!("{now:?} as before; attempts {attempts}"))
}

/// The crash loop of a clique ends its peer after the delay, and the event has the cause.
fn crash_loop_ends_the_replica(ns: &Namespace) {
    let set = serving("g", &[lives("a"), remembering("b", 1, BREAKS)]);
    ns.apply(&[&with_delay(set, "3s")]);
    let before = uids_when_available(ns, "g-0-a");
    ns.until("the healthy peer is replaced", |seen| {
        is_terminated(seen, "g", "g-0-a", &before)
    });
    ns.until_event("GangTerminated", &["g-0-b", "exit code 1"]);
}

/// In a group above its minimum only the broken group replica goes.
fn group_replica_alone(ns: &Namespace) {
    // Only the pod of the last group replica breaks.
    let script = format!("test $GROVE_PCSG_INDEX = 1 || exec sleep 1000; {BREAKS}");
    let mut set = serving("g", &[remembering("w", 1, &script), lives("r")]);
    set["spec"]["template"]["podCliqueScalingGroups"] = json!([
        {"name": "e", "cliqueNames": ["w"], "replicas": 2, "minAvailable": 1},
    ]);
    ns.apply(&[&with_delay(set, "3s")]);
    ns.until("all PodCliques are there", |seen| {
        same("PodCliques", seen.all("PodClique").len(), 3)
    });
    let second = uids_when_available(ns, "g-0-e-1-w");
    let seen = ns.look().unwrap();
    let (first, router) = (uids(&seen, "g-0-e-0-w"), uids(&seen, "g-0-r"));
    ns.until("the second is replaced", |seen| {
        is_terminated(seen, "g", "g-0-e-1-w", &second)
    });
    let seen = ns.look().unwrap();
    same(
        "the others",
        (uids(&seen, "g-0-e-0-w"), uids(&seen, "g-0-r")),
        (first, router),
    )
    .unwrap();
}

/// One crash and a restart within the delay change nothing.
fn recovery_within_the_delay(ns: &Namespace) {
    let script = "test -e /v/was && exec sleep 1000; touch /v/was; sleep 4; exit 1";
    let set = serving("g", &[lives("a"), remembering("b", 1, script)]);
    ns.apply(&[&with_delay(set, "60s")]);
    let before = uids_when_available(ns, "g-0-a");
    ns.until("it was restarted and is Ready again", |seen| {
        let count: u64 = seen.pods_of("g-0-b").into_iter().map(restarts).sum();
        same("restarts", count, 1)?;
        ready(seen, "g", "AllReady")
    });
    same("the peer", uids(&ns.look().unwrap(), "g-0-a"), before).unwrap();
    same("GangTerminated", ns.events("GangTerminated"), vec![]).unwrap();
}

/// Finding 9: a sidecar that repeatedly ends with 0 is a crash loop, too: one breach whose time
/// continues, so that the delay ends although no back-off is that long.
fn sidecar_that_exits_0(ns: &Namespace) {
    let looped = with_pod(
        clique("b", 1, &[sh("exec sleep 1000")]),
        &json!({"initContainers": [sidecar("side", "sleep 4; exit 0")]}),
    );
    ns.apply(&[&with_delay(serving("g", &[lives("a"), looped]), "12s")]);
    let before = uids_when_available(ns, "g-0-a");
    let limit = Duration::from_secs(110);
    ns.within(limit, "its crash loop is named", |seen| {
        has(
            "Ready",
            message(seen.set("g")?, "Ready"),
            &["side", "exit code 0"],
        )
    });
    ns.within(limit, "the healthy peer is replaced", |seen| {
        is_terminated(seen, "g", "g-0-a", &before)
    });
}

/// Flapping readiness is no crash: each breach starts again, however long all of them last
/// together.
fn readiness_that_flaps(ns: &Namespace) {
    // A busy machine may need seconds to run the command of the probe: only its answer counts.
    let probe = json!({
        "exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1, "failureThreshold": 1,
        "timeoutSeconds": 5,
    });
    let script = "while :; do touch /tmp/up; sleep 5; rm /tmp/up; sleep 5; done";
    let flaps = clique(
        "b",
        1,
        &[with(sh(script), &json!({"readinessProbe": probe}))],
    );
    ns.apply(&[&with_delay(serving("g", &[lives("a"), flaps]), "20s")]);
    let before = uids_when_available(ns, "g-0-a");
    for _ in 0..4 {
        ns.until("it is not Ready", |seen| {
            is_breached(seen, "True/InsufficientReadyPods")
        });
        ns.until("it is Ready", |seen| {
            is_breached(seen, "False/SufficientReadyPods")
        });
    }
    same("the peer", uids(&ns.look().unwrap(), "g-0-a"), before).unwrap();
}

fn is_breached(seen: &Seen, should: &str) -> Result<(), String> {
    let breached = state(seen.one("PodClique", "g-0-b")?, "MinAvailableBreached");
    same("MinAvailableBreached", &*breached, should)
}

/// A clique that was never available is not terminated.
fn what_never_came_up_is_left_alone(ns: &Namespace) {
    // Without a probe it would be Ready for a moment after each start.
    let never = json!({"exec": {"command": ["false"]}, "periodSeconds": 1});
    let crashes = clique(
        "b",
        1,
        &[with(
            sh("sleep 0.3; exit 1"),
            &json!({"readinessProbe": never}),
        )],
    );
    ns.apply(&[&with_delay(serving("g", &[lives("a"), crashes]), "1s")]);
    ns.until("it crash-loops for longer than the delay", |seen| {
        let count: u64 = seen.pods_of("g-0-b").into_iter().map(restarts).sum();
        (count >= 2)
            .then_some(())
            .ok_or_else(|| format!("{count} restarts"))
    });
    let seen = ns.look().unwrap();
    let breach = state(
        seen.one("PodClique", "g-0-b").unwrap(),
        "MinAvailableBreached",
    );
    same(
        "MinAvailableBreached",
        breach,
        "False/NeverAvailable".to_owned(),
    )
    .unwrap();
}
