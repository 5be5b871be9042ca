//! Values of node labels that name several domains.

use domain::Node;
use domain::topology::{UnsupportedTopology, find_ambiguous_value};
use rstest::rstest;
use serde_json::{Value, json};

use super::{levels, preferred, required, template};

/// `node` is `<zone>.<rack>.<host>`; a node without a rack has two dots in a row.
fn node(name: &str) -> Node {
    let keys = [
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/rack",
        "kubernetes.io/hostname",
    ];
    let values = name
        .split('.')
        .zip(keys)
        .filter(|(value, _)| !value.is_empty());
    let labels: serde_json::Map<String, Value> = values
        .map(|(value, key)| (key.to_owned(), json!(value)))
        .collect();
    serde_json::from_value(json!({"metadata": {"name": name, "labels": labels}})).unwrap()
}

/// Rack `r0` is in both zones, and host `h0` in two racks of zone `z0`.
const NODES: [&str; 5] = ["z0.r0.h0", "z0.r1.h0", "z1.r0.h1", "z1.r2.h2", "z2..h3"];

/// The set has the constraint of its three places: set, group, and the clique `leader` in it.
fn find(constraints: [Value; 3], is_tree: bool, nodes: &[&str]) -> Option<String> {
    let [set, group, leader] = constraints;
    let template = template(&set, &group, &leader);
    let nodes: Vec<Node> = nodes.iter().map(|name| node(name)).collect();
    let nodes: Vec<&Node> = nodes.iter().collect();
    let found = find_ambiguous_value(&template, is_tree, &levels(), &nodes)?;
    Some(format!(
        "{} {} in {}",
        found.level,
        found.value,
        found.parents.join(" and ")
    ))
}

#[rstest]
#[case::nothing([Value::Null, Value::Null, Value::Null], None)]
#[case::only_preferred([preferred("rack"), Value::Null, Value::Null], None)]
#[case::the_broadest_level([required("zone"), Value::Null, Value::Null], None)]
#[case::an_unknown_level([required("row"), Value::Null, Value::Null], None)]
#[case::set([required("rack"), Value::Null, Value::Null], Some("rack r0 in z0 and z1"))]
#[case::group([Value::Null, required("rack"), Value::Null], Some("rack r0 in z0 and z1"))]
#[case::clique([Value::Null, Value::Null, required("rack")], Some("rack r0 in z0 and z1"))]
#[case::group_in_the_zone_of_its_set([required("zone"), required("rack"), Value::Null], None)]
#[case::clique_in_the_zone_of_its_set([required("zone"), Value::Null, required("rack")], None)]
#[case::clique_in_the_zone_of_its_group([Value::Null, required("zone"), required("rack")], None)]
#[case::a_preferred_zone_fixes_nothing(
    [preferred("zone"), required("rack"), Value::Null],
    Some("rack r0 in z0 and z1")
)]
#[case::the_same_level_again([required("rack"), required("rack"), Value::Null], Some("rack r0 in z0 and z1"))]
#[case::hosts_of_a_zone(
    [required("zone"), required("host"), Value::Null],
    Some("host h0 in z0/r0 and z0/r1")
)]
fn a_value_in_two_domains_is_found_unless_the_parent_is_fixed(
    #[case] constraints: [Value; 3],
    #[case] expected: Option<&str>,
) {
    assert_eq!(find(constraints, false, &NODES).as_deref(), expected);
}

#[rstest]
#[case::unique(&["z0.r0.h0", "z0.r1.h1", "z1.r2.h2"], None)]
#[case::a_node_without_a_zone(&["z0.r0.h0", ".r0.h1"], None)]
#[case::no_nodes(&[], None)]
#[case::the_first_of_several(&["z0.r1.a", "z1.r1.b", "z0.r0.c", "z1.r0.d"], Some("rack r0 in z0 and z1"))]
fn only_nodes_of_a_domain_count(#[case] nodes: &[&str], #[case] expected: Option<&str>) {
    let constraints = [required("rack"), Value::Null, Value::Null];
    assert_eq!(find(constraints, false, nodes).as_deref(), expected);
}

/// A gang of one PodGroup has one constraint, the narrowest; a tree nests them.
#[rstest]
#[case::split(false, Some("rack r0 in z0 and z1"))]
#[case::tree(true, None)]
fn a_group_of_one_clique_fixes_nothing_unless_all_gangs_are_one_tree(
    #[case] is_tree: bool,
    #[case] expected: Option<&str>,
) {
    let mut template = template(&Value::Null, &required("zone"), &required("rack"));
    template.scaling_groups[0].clique_names = vec!["leader".to_owned()];
    let nodes = NODES.map(node);
    let nodes = nodes.each_ref();
    let found = find_ambiguous_value(&template, is_tree, &levels(), &nodes);
    let found = found.map(|found| {
        format!(
            "{} {} in {}",
            found.level,
            found.value,
            found.parents.join(" and ")
        )
    });
    assert_eq!(found.as_deref(), expected);
}

#[rstest]
#[case::set(
    [required("rack"), Value::Null, Value::Null],
    "make the values unique (`kubectl get nodes -L \
     topology.kubernetes.io/zone,topology.kubernetes.io/rack` lists them)"
)]
#[case::group(
    [Value::Null, required("rack"), Value::Null],
    "make the values unique (`kubectl get nodes -L \
     topology.kubernetes.io/zone,topology.kubernetes.io/rack` lists them), or create the set again \
     with pack.required: zone outside"
)]
fn the_remedy_follows_from_the_owner(#[case] constraints: [Value; 3], #[case] remedy: &str) {
    let [set, group, leader] = constraints;
    let template = template(&set, &group, &leader);
    let nodes = NODES.map(node);
    let nodes = nodes.each_ref();
    let found = find_ambiguous_value(&template, false, &levels(), &nodes).unwrap();
    assert_eq!(
        UnsupportedTopology::Ambiguous(found).describe(),
        format!(
            "gangs that have not started stay gated: rack r0 is in zones z0 and z1, and Kubernetes \
             compares one label: {remedy}"
        )
    );
}
