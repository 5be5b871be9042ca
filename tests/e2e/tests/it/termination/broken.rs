//! Terminated replicas, and their recovery.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{
    attempts, attempts_of, break_pod, close, is_new, pair, runs, service, started, terminating,
    uids, unready,
};
use crate::harness::manifest::{clique, group};
use crate::harness::seen::{is_ready, name};
use crate::harness::{Namespace, same};

#[test]
fn a_standalone_clique_takes_its_whole_replica_down_and_no_other() {
    let ns = Namespace::new("gt-standalone");
    let mut x = service("x", "10s", 1);
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2)]);
    let (old, other) = (ns.look().map(|s| uids(&s, "x-0-")).unwrap(), others(&ns));
    ns.kubectl(&["scale", "pclq/x-0-a", "--replicas=3"]);
    ns.until("one more", |seen| runs(seen, "x", 2));
    break_pod(&ns, "x-0-a", 0);
    break_pod(&ns, "x-0-a", 1);
    ns.until("replica 0 is new, with its live count", |seen| {
        runs(seen, "x", 2)?;
        is_new(seen, "x-0-", &old)?;
        same("pods", &seen.pods("x-0-a").len(), &3)?;
        let set = seen.one("PodCliqueSet", "x")?;
        same("attempts", &attempts(set), &vec![(0, 1)])?;
        same("liveReplicas", &set["status"]["liveReplicas"], &Value::Null)
    });
    assert_eq!(others(&ns), other, "replica 1 was not touched");
    let events = ns.events("x", "GangTerminated");
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        events[0].starts_with("replica 0 was terminated: PodClique x-0-a: 1 of 2 required pods")
    );
    assert!(events[0].ends_with("terminationDelay 10s"), "{events:?}");
    assert!(!ns.events("x", "GangTerminationScheduled").is_empty());
    assert_eq!(
        ns.events("x", "PodCliqueSetReplicaDeleteSuccessful").len(),
        1
    );
    let metrics = ns.operator.get("/metrics").unwrap().1;
    // Metrics may count its namespace together with others.
    let is_counted = |line: &str| {
        line.starts_with(r#"grove_replica_terminations_total{level="PodCliqueSet","#)
            && line.contains(r#"reason="MinAvailableBreached""#)
            && !line.ends_with(" 0")
    };
    assert!(metrics.lines().any(is_counted), "{metrics}");
    tells_the_termination(&ns);
}

/// Printed once, although status and event report it, and the running objects are in the tree.
fn tells_the_termination(ns: &Namespace<'_>) {
    let text = ns.grove_words(&["timeline", "x"]);
    let told = "terminated replica 0: attempt 1 began: PodClique x-0-a: 1 of 2 required pods ready";
    assert_eq!(text.matches(" terminated replica ").count(), 1, "{text}");
    assert_eq!(
        text.matches(" terminated podcliqueset").count(),
        0,
        "{text}"
    );
    assert!(text.contains(told), "{text}");
    assert!(
        text.contains("podcliqueset/x: GangTerminationScheduled: "),
        "{text}"
    );
    let tree = ns.grove(&["tree", "x"]);
    let seen = ns.look().unwrap();
    assert!(
        seen.names("Pod").iter().all(|pod| tree.contains(pod)),
        "{tree}"
    );
}

/// Uids of all objects of replica 1.
fn others(ns: &Namespace<'_>) -> BTreeSet<String> {
    let seen = ns.look().unwrap();
    let is_of_1 =
        |o: &&Value| o["metadata"]["labels"]["grove.io/podcliqueset-replica-index"] == "1";
    let of_1 = seen.everything().into_iter().filter(is_of_1);
    of_1.map(|o| o["metadata"]["uid"].to_string()).collect()
}

#[test]
fn without_room_for_the_replacement_it_is_terminated_once() {
    let ns = Namespace::new("gt-no-room");
    started(&ns, &[(pair("x", "1s"), 1), (pair("witness", "6s"), 1)]);
    close(&ns);
    break_pod(&ns, "x-0-a", 0);
    ns.until("it is terminated", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )?;
        same("pods", &seen.pods("x-0-a").len(), &0)
    });
    break_pod(&ns, "witness-0-a", 0);
    ns.until("much later it is still the first time", |seen| {
        same(
            "witness",
            &attempts_of(seen, "PodCliqueSet", "witness")?,
            &vec![(0, 1)],
        )?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
    assert_eq!(ns.events("x", "GangTerminated").len(), 1);
    ns.kubectl(&["delete", "quota", "closed"]);
    ns.until("both run again", |seen| {
        runs(seen, "x", 1)?;
        runs(seen, "witness", 1)?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
}

#[test]
fn forty_gangs_at_once_all_come_back_with_all_their_pods() {
    const GANGS: usize = 40;
    let ns = Namespace::new("gt-forty");
    let mut x = terminating(
        "x",
        "3s",
        &[clique("a", 2), clique("b", 1)],
        &[group("g", "b", 1, 1)],
    );
    x["spec"]["replicas"] = GANGS.into();
    started(&ns, &[(x, GANGS)]);
    let seen = ns.look().unwrap();
    let old = uids(&seen, "x-");
    let broken = (0..GANGS).map(|i| format!("x-{i}-a"));
    let pods: Vec<_> = broken
        .map(|podclique| name(seen.pods(&podclique)[1]).to_owned())
        .collect();
    let patch = format!("--patch={}", unready());
    let mut args = vec!["patch", "pods", "--subresource=status", &patch];
    args.extend(pods.iter().map(String::as_str));
    ns.kubectl(&args);
    ns.within(Duration::from_mins(8), "all are back", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        let once: Vec<_> = (0..).take(GANGS).map(|i| (i, 1)).collect();
        same("attempts", &attempts(set), &once)?;
        is_new(seen, "x-", &old)?;
        runs(seen, "x", GANGS)?;
        same(
            "ready",
            &seen.all("Pod").iter().filter(|p| is_ready(p)).count(),
            &(3 * GANGS),
        )
    });
    assert_eq!(ns.events("x", "GangTerminated").len(), GANGS);
}

#[test]
fn a_replica_that_was_terminated_can_be_given_up_and_wanted_again_at_once() {
    let ns = Namespace::new("gt-again");
    let mut x = service("x", "2s", 1);
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2)]);
    ns.break_pods("x-1-a");
    ns.until("it is terminated and runs again", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(1, 1)],
        )?;
        runs(seen, "x", 2)
    });
    ns.kubectl(&["scale", "pcs/x", "--replicas=1"]);
    ns.kubectl(&["scale", "pcs/x", "--replicas=2"]);
    ns.until("it runs in the attempt that it was in", |seen| {
        runs(seen, "x", 2)?;
        seen.expect_ready_pods(8)?;
        let set = attempts_of(seen, "PodCliqueSet", "x")?;
        same("attempts", &set, &vec![(1, 1)])?;
        let labels = &seen.one("PodClique", "x-1-a")?["metadata"]["labels"];
        same("label", &labels["grove.io/attempt"], &json!("1"))
    });
}
