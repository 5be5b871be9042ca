//! The operator sends the API server as few requests as it can.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, folder};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::operator::Operator;
use crate::harness::requests::Requests;
use crate::harness::{Namespace, same, site, wait};
use crate::updates::probe;

#[test]
fn at_rest_no_request_is_sent() {
    const REST: Duration = Duration::from_mins(1);
    let control_plane = site::quiet();
    let operator = started(&control_plane, "resting-operator");
    let ns = Namespace::on(&control_plane, &operator, "rest");
    ns.apply(&autoscaled());
    ns.apply(&set("waiting", &[held_clique("a", 2)], &[]));
    let gates_are_off = |pod: &&Value| pod["spec"]["schedulingGates"].is_null();
    ns.until("one runs, one waits for its kubelet", |seen| {
        same(
            "good",
            &seen.one("PodCliqueSet", "good")?["status"]["availableReplicas"],
            &1.into(),
        )?;
        same(
            "pods",
            &seen.all("Pod").iter().filter(|p| gates_are_off(p)).count(),
            &6,
        )
    });
    let mut before = Requests::of(&operator).unwrap();
    assert!(before.writes() > 0, "{before:?}");
    let mut since = Instant::now();
    let mut last = String::new();
    // The last events about the creation may come late, but not for ever.
    let rested = wait::within(2 * REST, || {
        let now = Requests::of(&operator)?;
        if now != before {
            last = format!("{before:?} became {now:?}");
            (before, since) = (now, Instant::now());
        }
        let has_rested = since.elapsed() >= REST;
        has_rested.then_some(()).ok_or_else(|| last.clone())
    });
    rested.unwrap();
}

/// With autoscalers: Kubernetes writes their status again and again, and the API server stores
/// their metrics in another form than the manifest.
fn autoscaled() -> Value {
    let cliques = [clique("a", 2), clique("b", 1)];
    let mut set = set("good", &cliques, &[group("g", "b", 2, 1)]);
    let template = &mut set["spec"]["template"];
    template["podCliqueScalingGroups"][0]["scaleConfig"] = json!({"maxReplicas": 3});
    let metric = json!({"type": "Pods", "pods": {
        "metric": {"name": "requests", "selector": {"matchLabels": {}}},
        "target": {"type": "AverageValue", "averageValue": "0.5"},
    }});
    let config = json!({"maxReplicas": 3, "metrics": [metric]});
    template["cliques"][0]["spec"]["autoScalingConfig"] = config;
    set
}

#[test]
fn a_hundred_pods_take_two_writes_each_and_hardly_any_more() {
    const PODS: usize = 100;
    let control_plane = site::quiet();
    let operator = started(&control_plane, "counted-operator");
    let ns = Namespace::on(&control_plane, &operator, "counted");
    let before = Requests::of(&operator).unwrap();
    let begin = Instant::now();
    ns.apply(&set("svc", &[clique("a", 100)], &[]));
    ns.until("it runs", |seen| {
        seen.expect_ready_pods(PODS)?;
        let ready = &seen.one("PodClique", "svc-0-a")?["status"]["readyReplicas"];
        same("readyReplicas", ready, &PODS.into())?;
        let available = &seen.one("PodCliqueSet", "svc")?["status"]["availableReplicas"];
        same("availableReplicas", available, &1.into())
    });
    let after = Requests::of(&operator).unwrap();
    let took = begin.elapsed();

    let asked = |fits: &dyn Fn(&str) -> bool| after.count(fits) - before.count(fits);
    let is_status = |labels: &str| labels.contains("subresource=\"status\"");
    // The set's finalizer, a PodClique, a Service, a PodGang; a pod and its gate.
    let limit = (1 + 1 + 1 + 1 + 2 * PODS) * 105 / 100;
    let main = after.count_main() - before.count_main();
    let range = 2 * PODS..=limit;
    assert!(
        range.contains(&main),
        "{main} requests, not {range:?}: {after:?}"
    );
    assert_eq!(
        asked(&|labels| labels.contains("verb=\"get\"")),
        0,
        "{after:?}"
    );

    // Two per second, and one for each condition that changes.
    let limit = 2 * usize::try_from(took.as_secs()).unwrap() + 10;
    for resource in ["podcliquesets", "podcliques", "podgangs"] {
        let of_resource = format!("resource=\"{resource}\"");
        let updates = asked(&|labels| is_status(labels) && labels.contains(&of_resource));
        assert!(
            updates <= limit,
            "{updates} updates of {resource} in {took:?}: {after:?}"
        );
    }
}

/// A pod is deleted and created, its gate is removed, and its PodGang loses and gains it.
#[test]
fn an_update_takes_five_requests_for_each_pod_and_polls_nothing() {
    const PODS: usize = 100;
    let control_plane = site::quiet();
    let operator = started(&control_plane, "updated-operator");
    let ns = Namespace::on(&control_plane, &operator, "updated");
    let runs = |version: &str| {
        ns.apply(&versioned(version));
        ns.until("it runs", |seen| {
            seen.expect_ready_pods(PODS)?;
            let pods = seen.all("Pod");
            let mut pods = pods.iter();
            let is_new =
                |p: &&Value| p["metadata"]["annotations"]["example.com/version"] == version;
            same("all have it", &pods.all(is_new), &true)?;
            let updated = &seen.one("PodCliqueSet", "svc")?["status"]["updatedReplicas"];
            same("updatedReplicas", updated, &1.into())
        });
    };
    runs("1");
    let before = Requests::of(&operator).unwrap();
    runs("2");
    let after = Requests::of(&operator).unwrap();

    let asked = |fits: &dyn Fn(&str) -> bool| after.count(fits) - before.count(fits);
    let main = after.count_main() - before.count_main();
    let range = 3 * PODS..=51 * PODS / 10;
    assert!(
        range.contains(&main),
        "{main} requests, not {range:?}: {after:?}"
    );
    eprintln!("{main} requests for {PODS} pods");
    // After three conflicts in a row the operator reads an object live.
    let is_read = |l: &str| {
        ["get", "list"]
            .iter()
            .any(|v| l.contains(&format!("verb=\"{v}\"")))
    };
    let reads = asked(&is_read);
    assert!(reads <= PODS / 20, "{reads} reads: {after:?}");
}

/// A hundred pods of that version; an update replaces ten at a time.
fn versioned(version: &str) -> Value {
    let mut a = clique("a", 100);
    a["spec"]["minAvailable"] = 1.into();
    a["annotations"] = json!({"example.com/version": version});
    probe(&mut a);
    a["rollingUpdate"] = json!({"maxUnavailable": 10});
    set("svc", &[a], &[])
}

fn started(control_plane: &ControlPlane, dir: &str) -> Operator {
    let installation = Installation::on(control_plane, &[]);
    let operator = Operator::start(&installation, &folder(dir)).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}
