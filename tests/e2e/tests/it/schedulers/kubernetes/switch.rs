//! Live sets whose scheduler profile changes, and which are then updated.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, of_version, started, started_with};
use crate::harness::manifest::set;
use crate::harness::{same, site};
use crate::updates::probe;

/// Pods of the set.
const PODS: usize = 8;

/// A router of two pods, and two replicas of a group of which one is required.
fn service(resource: &str, version: &str) -> Value {
    let mut cliques = [("router", 2), ("lead", 1), ("work", 2)]
        .map(|(name, replicas)| clique(name, resource, replicas));
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let group = json!({
        "name": "g",
        "cliqueNames": ["lead", "work"],
        "replicas": 2,
        "minAvailable": 1,
    });
    set("svc", &cliques, &[group])
}

/// Nobody else wants its nodes, so each pod that is replaced is placed again.
fn survives(purpose: &str, before: &str, after: &Value) {
    let operator = started(purpose, before);
    let resource = format!("example.com/{purpose}");
    let nodes = Nodes::new(&site::gangs().control_plane, &resource, PODS);
    let ns = namespace(purpose, &operator);
    ns.apply(&service(&nodes.resource, "1"));
    ns.until("all of it is placed", |seen| seen.expect_ready_pods(PODS));
    operator.kill();
    let _other = started_with(purpose, &format!("{purpose}-other"), after);
    ns.apply(&service(&nodes.resource, "2"));
    ns.until("all of it is placed in version 2", |seen| {
        same("new", &of_version(seen, "2"), &PODS)?;
        same("on nodes", &bound(seen).values().sum(), &PODS)?;
        seen.expect_ready_pods(PODS)
    });
    ns.delete();
}

fn profile(gangs: &str) -> Value {
    json!([{"name": "default-scheduler", "backend": "kubernetes", "gangs": gangs}])
}

#[test]
fn a_tree_that_becomes_single_gangs_survives_its_update() {
    survives("native-to-split", "Tree", &profile("Split"));
}

#[test]
fn single_gangs_that_become_a_tree_survive_their_update() {
    survives("native-to-tree", "Split", &profile("Tree"));
}

/// No backend keeps their PodGroups from then on.
#[test]
fn a_gang_without_its_profile_survives_its_update() {
    survives("native-to-none", "Split", &json!([]));
}
