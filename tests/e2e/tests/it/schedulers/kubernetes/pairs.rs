//! Gangs that compete.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, started};
use crate::harness::history::History;
use crate::harness::history::placements::expect_whole;
use crate::harness::manifest::set;
use crate::harness::{same, site};

const PAIRS: usize = 30;

fn resource(pair: usize) -> String {
    format!("example.com/pair{pair}")
}

/// Each of a pair wants both nodes, by two PodGroups: one pod more than it needs finds no room.
#[test]
fn of_two_gangs_one_is_placed_whole_each_time() {
    let operator = started("native-pairs", "Split");
    let resources: Vec<String> = (0..PAIRS).map(resource).collect();
    let _nodes = Nodes::of_each(&site::gangs().control_plane, &resources, 2);
    let ns = namespace("native-pairs", &operator);
    let mut history = History::of(&ns);
    let sets: Vec<Value> = (0..PAIRS).flat_map(pair).collect();
    ns.apply(&json!({"apiVersion": "v1", "kind": "List", "items": sets}));
    ns.until("one of each pair is placed whole", |seen| {
        let bound = bound(seen);
        let mut waiting = Vec::new();
        for pair in 0..PAIRS {
            let of = |one: &str| {
                let count = |clique: &str| bound.get(&format!("{one}{pair}-0-{clique}")).copied();
                (count("a").unwrap_or(0), count("b").unwrap_or(0))
            };
            let (x, y) = (of("x"), of("y"));
            let is_whole = matches!((x, y), ((1, 1), (0, 0)) | ((0, 0), (1, 1)));
            if !is_whole {
                waiting.push((pair, x, y));
            }
        }
        same("pairs", &waiting, &Vec::new())
    });
    history.catch_up(&ns);
    let one = |one: String| vec![(format!("{one}-0-a"), 1), (format!("{one}-0-b"), 1)];
    let gangs = (0..PAIRS).flat_map(|pair| ["x", "y"].map(|of| one(format!("{of}{pair}"))));
    let placed = expect_whole(history.moments(), &gangs.collect::<Vec<_>>());
    assert_eq!(placed, PAIRS);
    // Their deletion takes longer than the wait for a namespace.
    ns.kubectl(&["delete", "podcliquesets", "--all"]);
    ns.delete();
}

fn pair(pair: usize) -> [Value; 2] {
    let mut extra = clique("b", &resource(pair), 2);
    extra["spec"]["minAvailable"] = json!(1);
    let cliques = [clique("a", &resource(pair), 1), extra];
    ["x", "y"].map(|one| set(&format!("{one}{pair}"), &cliques, &[]))
}
