//! A tenant's namespace has an admission webhook that hangs; its neighbour does not notice.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::webhook::HangingWebhook;
use crate::harness::{Namespace, same, site};

/// The time from its creation within which the neighbour's set is Ready: less than the 30 s for which
/// a write that hangs keeps its place.
const BOUND: Duration = Duration::from_secs(20);
/// Writes to one namespace that are sent at once. More PodCliques than that are reconciled at once,
/// and each creates one pod first.
const SHARE: usize = 8;
/// Sets that are reconciled at once.
const SLOTS: usize = 10;

#[test]
fn a_webhook_that_hangs_in_one_namespace_holds_up_no_other() {
    let control_plane = site::quiet();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("neighbour-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let neighbour = Namespace::on(&control_plane, &operator, "neighbour");
    let stuck = Namespace::on(&control_plane, &operator, "stuck");

    let pods = HangingWebhook::register(&stuck, "pods", &pod());
    stuck.apply(&wide("first"));
    pods.wait_until(SHARE..=SHARE);
    comes_and_goes(&neighbour, "pods hang");
    pods.wait_until(SHARE..=SHARE);

    let podcliques = HangingWebhook::register(&stuck, "podcliques", &podclique());
    for i in 0..SLOTS {
        stuck.apply(&wide(&format!("more-{i}")));
    }
    // They get their part of the share as pods are given up.
    podcliques.wait_until(1..=SHARE);
    comes_and_goes(&neighbour, "PodCliques hang too");
    podcliques.wait_until(1..=SHARE);

    let seen = stuck.look().unwrap();
    // Some of its 40 PodCliques wait for the share, too.
    assert!(seen.all("PodClique").len() > SHARE);
    same("pods where it hangs", &seen.all("Pod").len(), &0).unwrap();
    assert_eq!(operator.ended(), None);
}

/// A set that is Ready in time and is deleted again.
fn comes_and_goes(ns: &Namespace<'_>, while_: &str) {
    let workload = set(
        "svc",
        &[clique("a", 2), clique("b", 1)],
        &[group("g", "b", 2, 1)],
    );
    ns.apply(&workload);
    let applied = Instant::now();
    let limit = format!("--timeout={}s", BOUND.as_secs());
    ns.kubectl(&["wait", "--for=condition=Ready", "pcs/svc", &limit]);
    let ready = applied.elapsed();
    let deleted = Instant::now();
    ns.kubectl(&["delete", "pcs/svc", "--timeout=180s"]);
    ns.until_nothing_is_left();
    let gone = deleted.elapsed();
    eprintln!("while {while_}: Ready after {ready:.2?}, gone after {gone:.2?}");
}

/// A set of many cliques.
fn wide(name: &str) -> Value {
    let cliques: Vec<_> = (0..40).map(|i| clique(&format!("c{i}"), 2)).collect();
    set(name, &cliques, &[])
}

fn pod() -> Value {
    let spec = &clique("a", 1)["spec"]["podSpec"];
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "example"}, "spec": spec})
}

fn podclique() -> Value {
    let spec = &clique("a", 1)["spec"];
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {"name": "example"}, "spec": spec,
    })
}
