//! Cases that a person can check by hand.

use std::rc::Rc;

use cli::capacity::{Outcome, Verdict, place_gangs, place_gangs_within};
use k8s_openapi::api::core::v1::NodeSelector;
use rstest::rstest;
use serde_json::json;

use super::model::{
    GangModel, HOST, NodeModel, PartModel, PodModel, Repels, World, ZONE, gang, node, part, pod,
};

fn judge(nodes: Vec<NodeModel>, gangs: Vec<GangModel>) -> Vec<Verdict> {
    let world = World {
        nodes,
        bound: Vec::new(),
        gangs,
    };
    place_gangs(&world.snapshot(), &world.gangs())
}

fn outcomes(verdicts: &[Verdict]) -> Vec<Outcome> {
    verdicts.iter().map(|verdict| verdict.outcome).collect()
}

/// Largest first to the node with the most left puts 3 and 2 apart, and then 4 has no node.
#[test]
fn what_a_scheduler_would_miss_is_found() {
    let parts = [
        part(pod(5, 0), 1),
        part(pod(4, 0), 1),
        part(pod(3, 0), 2),
        part(pod(2, 0), 1),
    ];
    let nodes = vec![node(9, 0), node(8, 0)];
    assert_eq!(outcomes(&judge(nodes, vec![gang(&parts)])), [Outcome::Fits]);
}

/// The first gang could be on either node; it makes way for the second.
#[test]
fn a_gang_makes_way_for_the_next_one() {
    let small = || gang(&[part(pod(2, 0), 1)]);
    let large = || gang(&[part(pod(4, 0), 1)]);
    let nodes = || vec![node(4, 0), node(3, 0)];
    let both = judge(nodes(), vec![small(), large()]);
    assert_eq!(outcomes(&both), [Outcome::Fits, Outcome::Fits]);
    assert_eq!(both[0].places[0].node, "na1");
    // But not for one that does not fit even so.
    let third = judge(nodes(), vec![small(), large(), large(), small()]);
    let expected = [
        Outcome::Fits,
        Outcome::Fits,
        Outcome::DoesNotFit,
        Outcome::DoesNotFit,
    ];
    assert_eq!(outcomes(&third), expected);
}

/// Each node takes one of 6 and one of 4 cores: there is one of 4 too many, though all of them
/// together are less than there is.
#[test]
fn what_takes_too_long_to_decide_is_said_to_be_unknown() {
    let world = World {
        nodes: vec![node(11, 0); 8],
        bound: Vec::new(),
        gangs: vec![gang(&[part(pod(6, 0), 8), part(pod(4, 0), 9)])],
    };
    let (snapshot, gangs) = (world.snapshot(), world.gangs());
    assert_eq!(
        outcomes(&place_gangs(&snapshot, &gangs)),
        [Outcome::DoesNotFit]
    );
    let verdicts = place_gangs_within(&snapshot, &gangs, 20);
    assert_eq!(outcomes(&verdicts), [Outcome::Unknown]);
    let expected = [
        "too large to decide: 16 of 17 placed",
        "c1 needs 4 cpu on one node: largest free is 1 (na1)",
    ];
    assert_eq!(verdicts[0].reasons, expected);
    assert!(verdicts[0].places.is_empty());
}

/// Deep searches stay within the stack, and large gangs within seconds.
#[test]
fn large_gangs_are_decided_by_counting_or_greedily() {
    let nodes = |count: usize| (0..count).map(|_| node(96, 8)).collect::<Vec<_>>();
    let workers = || gang(&[part(pod(12, 8), 400), part(pod(4, 0), 80)]);
    let enough = judge(nodes(401), vec![workers()]);
    assert_eq!(outcomes(&enough), [Outcome::Fits]);
    let short = judge(nodes(399), vec![workers()]);
    assert_eq!(outcomes(&short), [Outcome::DoesNotFit]);
    let reason = "c0 needs 8 example.com/gpu on one node: largest free is 0 (na1)";
    assert_eq!(short[0].reasons, [reason]);
    assert_eq!(short[0].guaranteed, 479);
}

fn zoned(zone: u8, gpu: i64) -> NodeModel {
    NodeModel {
        zone: Some(zone),
        ..node(16, gpu)
    }
}

#[test]
fn a_gang_that_has_to_share_a_domain_needs_one_with_room_for_all() {
    let mut workers = gang(&[part(pod(1, 4), 3)]);
    let nodes = || vec![zoned(0, 8), zoned(1, 8), zoned(1, 4)];
    workers.is_packed = true;
    let verdicts = judge(nodes(), vec![workers.clone(), workers.clone()]);
    assert_eq!(outcomes(&verdicts), [Outcome::Fits, Outcome::DoesNotFit]);
    let nodes_of_first: Vec<&str> = verdicts[0].places.iter().map(|p| &*p.node).collect();
    assert_eq!(nodes_of_first, ["na1", "nb2"]);
    let alone = judge(vec![zoned(0, 8), zoned(1, 8)], vec![workers]);
    let expected = [
        "c0 needs 4 example.com/gpu on one node of zone z1, where the others are: largest free is 0 \
         (na1)",
        "without its topology constraint it would fit",
    ];
    assert_eq!(alone[0].reasons, expected);
    assert_eq!(alone[0].guaranteed, 2);
}

/// The first pod may be on two nodes that have the same room, and is first put on the wrong one: the
/// other one is tried because the second pod sees a difference.
#[rstest]
#[case::taint(|world: &mut World| {
    world.nodes[0].is_tainted = true;
    world.gangs[0].parts[0].pod.bears_taint = true;
})]
#[case::a_pod_that_is_there(|world: &mut World| {
    world.bound[0].1.repels = Some(Repels { app: 'b', key: HOST });
    world.gangs[0].parts[1].pod.app = 'b';
})]
#[case::a_port(|world: &mut World| {
    world.bound[0].1.has_port = true;
    world.gangs[0].parts[1].pod.has_port = true;
})]
#[case::a_pod_in_the_zone(|world: &mut World| {
    world.nodes[1].zone = Some(1);
    world.bound[0] = (2, PodModel { repels: Some(Repels { app: 'b', key: ZONE }), ..pod(1, 0) });
    world.bound.push((0, pod(1, 0)));
    world.gangs[0].parts[1].pod.app = 'b';
})]
fn nodes_that_differ_for_any_pod_are_both_tried(#[case] make_differ: fn(&mut World)) {
    let mut world = World {
        nodes: vec![node(4, 0), node(4, 0), node(1, 0)],
        bound: vec![(0, pod(1, 0)), (1, pod(1, 0))],
        gangs: vec![gang(&[part(pod(3, 0), 1), part(pod(3, 0), 1)])],
    };
    make_differ(&mut world);
    // Without the search no other order would be tried.
    let verdicts = place_gangs(&world.snapshot(), &world.gangs());
    assert_eq!(outcomes(&verdicts), [Outcome::Fits]);
    let without = place_gangs_within(&world.snapshot(), &world.gangs(), 0);
    assert_eq!(outcomes(&without), [Outcome::Unknown]);
}

/// They have no node in common, but one keeps the other out of its zone.
#[test]
fn a_gang_makes_way_for_one_on_other_nodes() {
    let first = PodModel {
        repels: Some(Repels {
            app: 'b',
            key: ZONE,
        }),
        ..pod(1, 0)
    };
    let second = PodModel {
        app: 'b',
        ..pod(1, 0)
    };
    let world = World {
        nodes: vec![zoned(1, 0), zoned(0, 0), zoned(0, 0)],
        bound: Vec::new(),
        gangs: vec![gang(&[part(first, 1)]), gang(&[part(second, 1)])],
    };
    let mut gangs = world.gangs();
    let on = |names: &[&str]| -> Option<NodeSelector> {
        let expression = json!({"key": HOST, "operator": "In", "values": names});
        let terms = json!({"nodeSelectorTerms": [{"matchExpressions": [expression]}]});
        serde_json::from_value(terms).unwrap()
    };
    Rc::make_mut(&mut gangs[0].parts[0].needs).node_affinity = on(&["nc0", "na1"]);
    Rc::make_mut(&mut gangs[1].parts[0].needs).node_affinity = on(&["nb2"]);
    let verdicts = place_gangs(&world.snapshot(), &gangs);
    assert_eq!(outcomes(&verdicts), [Outcome::Fits, Outcome::Fits]);
}

/// Both zones have nodes for it that are alike, but in one of them they are needed.
#[test]
fn a_gang_that_shares_a_zone_makes_way_into_another_one() {
    let of = |zone: u8, cpu: i64| NodeModel {
        cpu,
        ..zoned(zone, 0)
    };
    let nodes = vec![of(0, 4), of(1, 4), of(1, 9), of(0, 4), of(1, 4)];
    let packed = |parts: &[PartModel]| GangModel {
        is_packed: true,
        ..gang(parts)
    };
    let first = packed(&[part(pod(3, 0), 2)]);
    let second = packed(&[part(pod(8, 0), 1), part(pod(3, 0), 1)]);
    let both = judge(nodes, vec![first, second]);
    assert_eq!(outcomes(&both), [Outcome::Fits, Outcome::Fits]);
}
