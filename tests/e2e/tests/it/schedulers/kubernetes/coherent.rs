//! A Coherent update of gangs that Kubernetes' own scheduler places.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, of_version, started};
use crate::harness::history::course::{Course, Watched};
use crate::harness::history::placements::expect_whole;
use crate::harness::history::{History, Moment};
use crate::harness::manifest::{group, set};
use crate::harness::{Seen, same, site};
use crate::updates::{has_ended, probe};

/// Pods of two replicas of each group.
const PODS: usize = 6;

/// Two replicas of prefill and two of decode. One of each is required, so the base gang has one of
/// each.
fn graph(resource: &str, version: &str) -> Value {
    let mut cliques = [clique("p", resource, 1), clique("d", resource, 2)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let groups = [group("prefill", "p", 2, 1), group("decode", "d", 2, 1)];
    let mut graph = set("svc", &cliques, &groups);
    graph["spec"]["updateStrategy"] = json!({"type": "Coherent"});
    graph
}

fn runs(seen: &Seen, version: &str) -> Result<(), String> {
    same("pods of the version", &of_version(seen, version), &PODS)?;
    same("on nodes", &bound(seen).values().sum(), &PODS)?;
    seen.expect_ready_pods(PODS)
}

/// No node is to spare. The last step replaces the base gang: its pods are placed together again,
/// although they belong to two groups. One replica of each group is up at any time.
#[test]
fn a_coherent_update_places_the_base_gang_as_a_whole() {
    let operator = started("native-coherent", "Split");
    let control_plane = &site::gangs().control_plane;
    let nodes = Nodes::new(control_plane, "example.com/coherent", PODS);
    let ns = namespace("native-coherent", &operator);
    ns.apply(&graph(&nodes.resource, "1"));
    ns.until("version 1 runs", |seen| runs(seen, "1"));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&graph(&nodes.resource, "2"));
    ns.until("version 2 runs, and the update has ended", |seen| {
        runs(seen, "2")?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    for (group, pods_of_unit) in [("prefill", 1), ("decode", 2)] {
        let watched = Watched {
            clique: "none",
            group,
            pods_of_unit,
            old: "1",
        };
        let course = Course::of(history.moments(), watched);
        assert_eq!(course.going.len(), PODS);
        let fewest = course.fewest_units;
        assert!(fewest >= 1, "{fewest} replicas of {group} were up");
    }
    let moments = history.moments().iter().filter(|m| m.version == "2");
    let new: Vec<Moment> = moments.cloned().collect();
    let gangs = [
        vec![("svc-0-prefill-0-p", 1), ("svc-0-decode-0-d", 2)],
        vec![("svc-0-prefill-1-p", 1)],
        vec![("svc-0-decode-1-d", 2)],
    ];
    assert_eq!(expect_whole(&new, &gangs), 3);
    ns.delete();
}
