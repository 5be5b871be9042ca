//! Cases that a person can check by hand.

use cli::capacity::{GangVerdict, NodeOrder, Outcome, place_gangs};
use rstest::rstest;

use super::model::{GangModel, NodeModel, World, gang, node, part, pod};

fn judge(nodes: Vec<NodeModel>, gangs: Vec<GangModel>) -> Vec<GangVerdict> {
    let world = World {
        nodes,
        bound: Vec::new(),
        gangs,
    };
    place_gangs(&world.snapshot(), &world.gangs())
}

pub fn outcomes(verdicts: &[GangVerdict]) -> Vec<Outcome> {
    verdicts.iter().map(|verdict| verdict.outcome).collect()
}

/// A pod stays on the first node that it gets, so a later pod may find none. The scheduler of the
/// gang decides which node that is.
#[rstest]
#[case::spreads(NodeOrder::LeastAllocated, Outcome::NoPlacementFound, 1)]
#[case::fills(NodeOrder::MostAllocated, Outcome::Fits, 2)]
fn pods_go_to_the_node_that_the_scheduler_prefers(
    #[case] order: NodeOrder,
    #[case] expected: Outcome,
    #[case] placed: u32,
) {
    let world = World {
        nodes: vec![node(4, 0), node(2, 0)],
        bound: Vec::new(),
        gangs: vec![gang(&[part(pod(2, 0), 1), part(pod(4, 0), 1)])],
    };
    let mut gangs = world.gangs();
    gangs[0].node_order = order;
    let verdicts = place_gangs(&world.snapshot(), &gangs);
    assert_eq!(outcomes(&verdicts), [expected]);
    assert_eq!(verdicts[0].guaranteed, placed);
}

/// The next gang takes the remaining room; a gang without a placement takes none.
#[test]
fn gangs_are_placed_one_after_the_other() {
    let small = || gang(&[part(pod(2, 0), 1)]);
    let large = || gang(&[part(pod(4, 0), 1)]);
    let verdicts = judge(
        vec![node(4, 0), node(3, 0)],
        vec![small(), large(), small(), small()],
    );
    let expected = [
        Outcome::Fits,
        Outcome::NoPlacementFound,
        Outcome::Fits,
        Outcome::Fits,
    ];
    assert_eq!(outcomes(&verdicts), expected);
    let reason = "c0 needs 4 cpu on one node: largest free is 3 (na1)";
    assert_eq!(verdicts[1].reasons, [reason]);
}

#[test]
fn large_gangs_take_no_longer_than_seconds() {
    let nodes = |count: usize| (0..count).map(|_| node(96, 8)).collect::<Vec<_>>();
    let workers = || gang(&[part(pod(12, 8), 400), part(pod(4, 0), 80)]);
    let enough = judge(nodes(401), vec![workers()]);
    assert_eq!(outcomes(&enough), [Outcome::Fits]);
    let short = judge(nodes(399), vec![workers()]);
    assert_eq!(outcomes(&short), [Outcome::NoPlacementFound]);
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
    assert_eq!(
        outcomes(&verdicts),
        [Outcome::Fits, Outcome::NoPlacementFound]
    );
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
