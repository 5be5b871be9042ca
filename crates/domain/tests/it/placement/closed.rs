//! Domains that pinned pods have to join, without a schedulable node.

use domain::Node;
use domain::placement::{PinScope, find_closed_domain};
use domain::topology::{Levels, Selector};
use rstest::rstest;
use serde_json::json;

const ZONE: &str = "example.com/zone";
const RACK: &str = "example.com/rack";

fn levels() -> Levels {
    let levels = json!([{"domain": "zone", "key": ZONE}, {"domain": "rack", "key": RACK}]);
    Levels::from_text(&levels.to_string()).unwrap()
}

/// `<zone>.<rack>.<number>`; a cordoned one begins with `!`.
fn node(text: &str) -> Node {
    let name = text.trim_start_matches('!');
    let mut place = name.split('.');
    let (zone, rack) = (place.next().unwrap(), place.next().unwrap());
    let node = json!({
        "metadata": {"name": name, "labels": {ZONE: zone, RACK: rack}},
        "spec": {"unschedulable": text.starts_with('!')},
    });
    serde_json::from_value(node).unwrap()
}

fn scope(position: usize, owner: &str) -> PinScope {
    PinScope {
        position,
        owner: owner.to_owned(),
        selector: format!("of={}", owner.replace(' ', "-")),
    }
}

fn pin(labels: &[(&str, &str)]) -> Selector {
    let labels = labels.iter();
    labels
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// What is found for a pod that shares a zone with its replica and a rack with its group replica.
fn find(nodes: &[&str], pinned: &[(&str, &str)]) -> Option<String> {
    let nodes: Vec<Node> = nodes.iter().map(|text| node(text)).collect();
    let nodes: Vec<&Node> = nodes.iter().collect();
    let scopes = [scope(0, "its replica"), scope(1, "group replica g-0")];
    let found = find_closed_domain(&pin(pinned), &scopes, &levels(), &nodes)?;
    Some(found.describe("p", "ns"))
}

const IN_RACK: [(&str, &str); 2] = [(ZONE, "z0"), (RACK, "r0")];

#[rstest]
#[case::a_schedulable_node(&["!z0.r0.0", "z0.r0.1"], &IN_RACK, None)]
#[case::the_rack(
    &["!z0.r0.1", "!z0.r0.0", "z0.r1.2", "z1.r0.3"],
    &IN_RACK,
    Some(
        "p has to join the pods of group replica g-0 in rack z0/r0, where all nodes are cordoned \
         (z0.r0.0, z0.r0.1): uncordon one (`kubectl uncordon z0.r0.0`), or delete all pods of group \
         replica g-0, which may then start elsewhere (`kubectl delete pods -n ns -l \
         of=group-replica-g-0`)"
    )
)]
#[case::the_whole_zone(
    &["!z0.r0.0", "!z0.r1.1", "z1.r0.2"],
    &IN_RACK,
    Some(
        "p has to join the pods of its replica in zone z0, where all nodes are cordoned (z0.r0.0, \
         z0.r1.1): uncordon one (`kubectl uncordon z0.r0.0`), or delete all pods of its replica, which \
         may then start elsewhere (`kubectl delete pods -n ns -l of=its-replica`)"
    )
)]
#[case::many_nodes(
    &["!z0.r0.0", "!z0.r0.1", "!z0.r0.2", "!z0.r0.3", "!z0.r0.4", "!z0.r0.5", "z0.r1.0"],
    &IN_RACK,
    Some(
        "p has to join the pods of group replica g-0 in rack z0/r0, where all nodes are cordoned \
         (z0.r0.0, z0.r0.1, z0.r0.2, z0.r0.3 and 2 more): uncordon one (`kubectl uncordon z0.r0.0`), \
         or delete all pods of group replica g-0, which may then start elsewhere (`kubectl delete \
         pods -n ns -l of=group-replica-g-0`)"
    )
)]
#[case::no_node_is_left(
    &["z0.r1.0"],
    &IN_RACK,
    Some(
        "p has to join the pods of group replica g-0 in rack z0/r0, which has no node any more: add a \
         node with its labels, or delete all pods of group replica g-0, which may then start \
         elsewhere (`kubectl delete pods -n ns -l of=group-replica-g-0`)"
    )
)]
#[case::pinned_to_the_zone_alone(&["!z0.r0.0", "z0.r1.0"], &[(ZONE, "z0")], None)]
#[case::not_pinned(&["!z0.r0.0"], &[], None)]
fn the_outermost_scope_without_a_schedulable_node_is_named(
    #[case] nodes: &[&str],
    #[case] pinned: &[(&str, &str)],
    #[case] expected: Option<&str>,
) {
    assert_eq!(find(nodes, pinned).as_deref(), expected);
}
