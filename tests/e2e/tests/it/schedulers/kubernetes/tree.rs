//! A tree: as many replicas of a group are placed as there is room for.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, expect_bound, namespace, started};
use crate::harness::history::History;
use crate::harness::history::placements::expect_whole;
use crate::harness::manifest::set;
use crate::harness::seen::name;
use crate::harness::{Seen, same, site};

/// A router, and a group of four replicas, two of them required.
fn tree(resource: &str) -> Value {
    let cliques = ["router", "lead", "work"].map(|name| clique(name, resource, 1));
    let group = json!({
        "name": "g",
        "cliqueNames": ["lead", "work"],
        "replicas": 4,
        "minAvailable": 2,
    });
    set("svc", &cliques, &[group])
}

/// There is room for a router and three replicas, with a node to spare.
#[test]
fn as_many_replicas_of_a_tree_are_placed_whole_as_there_is_room_for() {
    let operator = started("native-tree", "Tree");
    let nodes = Nodes::new(&site::gangs().control_plane, "example.com/tree", 8);
    let ns = namespace("native-tree", &operator);
    let mut history = History::of(&ns);
    ns.apply(&tree(&nodes.resource));
    ns.until("three replicas are placed", |seen| {
        let bound = bound(seen);
        let of = |replica: u32| {
            let count = |clique: &str| bound.get(&format!("svc-0-g-{replica}-{clique}"));
            (count("lead").copied(), count("work").copied())
        };
        let mut replicas: Vec<_> = (0..4).map(of).collect();
        replicas.sort_unstable();
        let whole = (Some(1), Some(1));
        same("router", &bound.get("svc-0-router"), &Some(&1))?;
        same(
            "replicas",
            &replicas,
            &vec![(Some(0), Some(0)), whole, whole, whole],
        )
    });
    history.catch_up(&ns);
    let part = |j: u32, clique: &str| (format!("svc-0-g-{j}-{clique}"), 1);
    let replicas = (0..4).map(|j| vec![part(j, "lead"), part(j, "work")]);
    let placed = expect_whole(history.moments(), &replicas.collect::<Vec<_>>());
    assert_eq!(placed, 3);
    let composite = |name: &str| format!("compositepodgroup.scheduling.k8s.io/{name}.groups");
    let mut expected: Vec<String> = (0..4).map(|j| composite(&format!("svc-0-g-{j}"))).collect();
    expected.extend([composite("svc-0-g"), composite("svc-0")]);
    // The PodGroup of the replica without room exists separately.
    ns.until("each has its own, and so have all together", |_| {
        let objects = ns.kubectl(&["get", "compositepodgroups", "--output=name"]);
        let found: Vec<String> = objects.lines().map(str::to_owned).collect();
        same("objects", &found, &expected)
    });

    ns.kubectl(&["scale", "pcsg/svc-0-g", "--replicas=1"]);
    ns.until("one replica stays", |seen| {
        expect_bound(
            seen,
            &[
                ("svc-0-g-0-lead", 1),
                ("svc-0-g-0-work", 1),
                ("svc-0-router", 1),
            ],
        )
    });
    let is_there = |seen: &Seen| seen.all("Pod").iter().map(|p| name(p).to_owned()).collect();
    let before: Vec<String> = is_there(&ns.look().unwrap());
    ns.kubectl(&["scale", "pcsg/svc-0-g", "--replicas=3"]);
    ns.until("three are there again", |seen| {
        same("placed", &bound(seen).values().sum(), &7)
    });
    let after: Vec<String> = is_there(&ns.look().unwrap());
    assert!(
        before.iter().all(|pod| after.contains(pod)),
        "{before:?} {after:?}"
    );
    ns.delete();
}
