//! `kill -9` at a random moment.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::harness::control_plane::folder;
use crate::harness::history::{History, slot};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, same, site};

const PODS: usize = 200;

#[test]
fn killed_while_it_creates_pods_it_goes_on_where_it_was() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("killed-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "killed");
    let mut history = History::of(&ns);

    kill_while_pods_are_created(&ns);
    let created = ns.look().unwrap().all("Pod").len();
    assert!((1..PODS).contains(&created), "{created} pods at the kill");
    operator.start_again().unwrap();
    ns.until("each pod once", |seen| {
        seen.expect_ready_pods(PODS)?;
        let is = seen.all("Pod").into_iter().map(slot).collect();
        same("slots", &is, &slots())
    });
    history.catch_up(&ns);
    assert_eq!(history.slots_held_twice(), BTreeSet::new());
    assert_eq!(history.slots_deleted(), BTreeSet::new());
}

/// Creates the set and kills the operator when the first of its pods appears.
fn kill_while_pods_are_created(ns: &Namespace<'_>) {
    let watch = ["get", "pods", "--watch", "--output=name"];
    let mut watch = ns.command(&watch).stdout(Stdio::piped()).spawn().unwrap();
    let mut shown = BufReader::new(watch.stdout.take().unwrap()).lines();
    let cliques = [clique("a", 50), clique("b", 50), clique("c", 50)];
    ns.apply(&set("svc", &cliques, &[group("g", "c", 2, 1)]));
    assert!(shown.next().is_some(), "a pod is shown");
    ns.operator.kill();
    watch.kill().unwrap();
    watch.wait().unwrap();
}

fn slots() -> BTreeSet<String> {
    let cliques = ["a", "b", "g-0-c", "g-1-c"];
    let of = |clique| (0..PODS / 4).map(move |index| format!("svc-0-{clique}#{index}"));
    cliques.into_iter().flat_map(of).collect()
}
