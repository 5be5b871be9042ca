//! Each clique after the one before it in the list.

use serde_json::json;

use super::{expect_count, expect_signalled, expect_waiting, get_ready};
use crate::harness::manifest::{clique, held_clique, set};
use crate::harness::seen::name;
use crate::harness::starts::Starts;
use crate::harness::{Namespace, same};

const ROUTER: &str = "svc-0-router";
const LEADERS: [&str; 3] = [
    "svc-0-model-0-leader",
    "svc-0-model-1-leader",
    "svc-0-model-2-leader",
];
const WORKERS: [&str; 3] = [
    "svc-0-model-0-worker",
    "svc-0-model-1-worker",
    "svc-0-model-2-worker",
];
const BASE_LEADERS: &str = "svc-0-model-0-leader:1,svc-0-model-1-leader:1";

/// A router of two pods, one of them required, and a group of a leader and two workers: two
/// replicas are required and a third one is optional.
fn apply(ns: &Namespace<'_>) {
    let mut router = held_clique("router", 2);
    router["spec"]["minAvailable"] = json!(1);
    let cliques = [router, held_clique("leader", 1), clique("worker", 2)];
    let group = json!({
        "name": "model", "cliqueNames": ["leader", "worker"], "replicas": 3, "minAvailable": 2,
    });
    let mut svc = set("svc", &cliques, &[group]);
    svc["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    ns.apply(&svc);
}

#[test]
fn each_clique_starts_after_the_one_before_it() {
    let ns = Namespace::new("in-order");
    let mut starts = Starts::of(&ns);
    apply(&ns);
    ns.until("the base gang is on nodes and waits", |seen| {
        let router = format!("{ROUTER}:1");
        expect_waiting(seen, &[(LEADERS[0], &*router), (LEADERS[1], &*router)])?;
        expect_waiting(
            seen,
            &[(WORKERS[0], BASE_LEADERS), (WORKERS[1], BASE_LEADERS)],
        )?;
        let after = &seen.one("PodClique", WORKERS[0])?["spec"]["startsAfter"];
        same("startsAfter", after, &json!([LEADERS[0], LEADERS[1]]))
    });
    expect_count(&mut starts, 0);

    get_ready(&ns, ROUTER, 1);
    ns.until("one router is enough for the leaders", |seen| {
        expect_signalled(seen, &LEADERS[..2])?;
        expect_waiting(seen, &[(WORKERS[0], BASE_LEADERS)])
    });
    get_ready(&ns, LEADERS[0], 0);
    get_ready(&ns, ROUTER, 0);
    expect_count(&mut starts, 2);
    get_ready(&ns, LEADERS[1], 0);
    ns.until("the workers start after both leaders", |seen| {
        expect_signalled(seen, &WORKERS[..2])
    });

    optional_replica_starts_by_itself(&ns, &mut starts);
    replaced_pod_gets_its_signal_at_once(&ns, &mut starts);
}

/// Its gang keeps the order within itself: the leader waits for no pod, the workers for the leader.
fn optional_replica_starts_by_itself(ns: &Namespace<'_>, starts: &mut Starts) {
    let after = format!("{}:1", LEADERS[2]);
    ns.until("the workers wait for the leader of their gang", |seen| {
        let leader = seen.pods(LEADERS[2]);
        let leader = leader.first().ok_or("no leader")?;
        same("on a node", &leader["spec"]["nodeName"].is_string(), &true)?;
        same("waits", &leader["spec"]["initContainers"].is_null(), &true)?;
        expect_waiting(seen, &[(WORKERS[2], &*after)])
    });
    get_ready(ns, LEADERS[2], 0);
    ns.until("all run", |seen| {
        expect_signalled(seen, &WORKERS)?;
        seen.expect_ready_pods(11)?;
        let set = seen.one("PodCliqueSet", "svc")?;
        let ready = crate::harness::condition(set, "Ready");
        same("Ready", &ready.as_str(), &"True/AllReady")
    });
    expect_count(starts, 8);
}

fn replaced_pod_gets_its_signal_at_once(ns: &Namespace<'_>, starts: &mut Starts) {
    let lost = name(ns.look().unwrap().pods(WORKERS[0])[1]).to_owned();
    ns.kubectl(&["delete", "pod", &lost]);
    let found = ns.until("it is replaced", |seen| {
        seen.expect_ready_pods(11)?;
        let pod = name(seen.pods(WORKERS[0])[1]).to_owned();
        same("another", &(pod != lost), &true)?;
        Ok(pod)
    });
    expect_count(starts, 9);
    assert_eq!(starts.signalled_at_creation(&found), Some(true));
}
