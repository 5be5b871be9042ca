//! An update with surge of standalone cliques that Kubernetes' own scheduler places.

use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, of_version, started};
use crate::harness::history::{History, Moment, watch};
use crate::harness::manifest::set;
use crate::harness::seen::name;
use crate::harness::wait::DEADLINE;
use crate::harness::{Seen, same, site};
use crate::updates::{has_ended, probe};

/// Pods of both cliques.
const PODS: usize = 5;

/// An annotation by which the test marks the last event that it reads.
const END: &str = "example.com/end";

/// Four pods of which two are required, in a PodGroup of their own, and one that the gang needs.
fn service(resource: &str, version: &str) -> Value {
    let mut web = clique("web", resource, 4);
    web["spec"]["minAvailable"] = json!(2);
    let mut cliques = [web, clique("router", resource, 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        clique["rollingUpdate"] = json!({"maxSurge": 1, "maxUnavailable": 0});
        probe(clique);
    }
    set("svc", &cliques, &[])
}

fn runs(seen: &Seen, version: &str) -> Result<(), String> {
    same("pods of the version", &of_version(seen, version), &PODS)?;
    same("on nodes", &bound(seen).values().sum(), &PODS)?;
    seen.expect_ready_pods(PODS)
}

/// The fewest and the most pods of the PodClique that were up, from the moment on at which as many
/// were up as it has.
fn limits_of_up(moments: &[Moment], podclique: &str, replicas: usize) -> (usize, usize) {
    let mut up: BTreeSet<&str> = BTreeSet::new();
    let mut limits = (replicas, replicas);
    let mut has_begun = false;
    for moment in moments.iter().filter(|m| m.podclique == podclique) {
        if moment.is_up {
            up.insert(moment.uid.as_str());
        } else {
            up.remove(moment.uid.as_str());
        }
        has_begun |= up.len() == replicas;
        if has_begun {
            limits = (limits.0.min(up.len()), limits.1.max(up.len()));
        }
    }
    limits
}

/// All minimums of the PodGroups, up to the event with the mark. Fails if a PodGroup is deleted.
fn read_minimums(events: &Receiver<Value>) -> BTreeSet<(String, i64)> {
    let mut minimums = BTreeSet::new();
    loop {
        let event = events.recv_timeout(DEADLINE).unwrap();
        assert_ne!(event["type"], "DELETED", "{event}");
        let group = &event["object"];
        let minimum = &group["spec"]["schedulingPolicy"]["gang"]["minCount"];
        minimums.insert((name(group).to_owned(), minimum.as_i64().unwrap()));
        if group["metadata"]["annotations"][END] == "true" {
            return minimums;
        }
    }
}

/// There is room for one pod more of each clique.
#[test]
fn surge_pods_are_placed_beside_the_others_and_change_no_minimum() {
    let operator = started("native-surge-clique", "Split");
    let control_plane = &site::gangs().control_plane;
    let nodes = Nodes::new(control_plane, "example.com/surge-clique", PODS + 2);
    let ns = namespace("native-surge-clique", &operator);
    ns.apply(&service(&nodes.resource, "1"));
    ns.until("version 1 runs", |seen| runs(seen, "1"));
    let groups = ("scheduling.k8s.io", "v1beta1", "PodGroup");
    let (events, _runtime) = watch::begin_of(&ns, groups);
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&service(&nodes.resource, "2"));
    ns.until("version 2 runs, and the update has ended", |seen| {
        runs(seen, "2")?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    let of = |podclique, replicas| limits_of_up(history.moments(), podclique, replicas);
    assert_eq!(of("svc-0-web", 4), (4, 5));
    assert_eq!(of("svc-0-router", 1), (1, 2));
    let marked = "podgroup.scheduling.k8s.io/svc-0-web";
    ns.kubectl(&["annotate", marked, &format!("{END}=true")]);
    let expected = [("svc-0", 1), ("svc-0-web", 2)];
    let expected = expected.map(|(group, minimum)| (group.to_owned(), minimum));
    assert_eq!(read_minimums(&events), BTreeSet::from(expected));
    ns.delete();
}
