//! An update with surge of gangs that Kubernetes' own scheduler places.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, of_version, started};
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::manifest::set;
use crate::harness::seen::name;
use crate::harness::{Seen, same, site};
use crate::updates::{has_ended, probe};

/// Pods of a group replica.
const PODS: usize = 3;

const WATCHED: Watched = Watched {
    clique: "none",
    group: "g",
    pods_of_unit: PODS,
    old: "1",
};

/// Two replicas of a group, of which one is required: the base gang and a scaled one.
fn engines(resource: &str, version: &str) -> Value {
    let mut cliques = [clique("lead", resource, 1), clique("work", resource, 2)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let group = json!({
        "name": "g",
        "cliqueNames": ["lead", "work"],
        "replicas": 2,
        "minAvailable": 1,
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    });
    set("svc", &cliques, &[group])
}

/// Both engines are placed and Ready with this version, and nothing is left of surge.
fn runs(seen: &Seen, version: &str) -> Result<(), String> {
    let new = of_version(seen, version);
    same("pods of the version", &new, &(2 * PODS))?;
    same("on nodes", &bound(seen).values().sum(), &(2 * PODS))?;
    let mut gangs: Vec<&str> = seen.all("PodGang").into_iter().map(name).collect();
    gangs.sort_unstable();
    same("gangs", &gangs, &vec!["svc-0", "svc-0-g-0"])?;
    seen.expect_ready_pods(2 * PODS)
}

/// There is room for one engine more. No engine goes before the surge serves.
fn never_dips(purpose: &str, gangs: &str) {
    let operator = started(purpose, gangs);
    let resource = format!("example.com/{purpose}");
    let nodes = Nodes::new(&site::gangs().control_plane, &resource, 3 * PODS);
    let ns = namespace(purpose, &operator);
    ns.apply(&engines(&nodes.resource, "1"));
    ns.until("both engines run", |seen| runs(seen, "1"));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&engines(&nodes.resource, "2"));
    ns.until("both engines run with version 2", |seen| {
        runs(seen, "2")?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    let course = Course::of(history.moments(), WATCHED);
    assert_eq!(course.going.len(), 2 * PODS);
    assert!(course.fewest_units >= 2, "{} were up", course.fewest_units);
    ns.delete();
}

#[test]
fn single_gangs_are_updated_with_surge() {
    never_dips("native-surge-split", "Split");
}

#[test]
fn a_tree_is_updated_with_surge() {
    never_dips("native-surge-tree", "Tree");
}
