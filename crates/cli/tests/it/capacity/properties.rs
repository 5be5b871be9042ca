//! What holds of any cluster and any gangs.

use cli::capacity::{Outcome, Verdict, place_gangs};
use proptest::prelude::*;

use super::model::{World, number_of};
use super::oracle;
use super::strategies::{some_full_world, some_node, some_world};

fn judge(world: &World) -> Vec<Verdict> {
    place_gangs(&world.snapshot(), &world.gangs())
}

fn fitting(verdicts: &[Verdict]) -> Vec<bool> {
    let outcomes = verdicts.iter().map(|verdict| verdict.outcome);
    let decided = outcomes.inspect(|outcome| assert_ne!(*outcome, Outcome::Unknown));
    decided.map(|outcome| outcome == Outcome::Fits).collect()
}

/// Gang, part and node of each pod: guaranteed ones first, as they are placed.
fn places(verdicts: &[Verdict]) -> Vec<(usize, usize, usize)> {
    let of = |is_guaranteed: bool| {
        let gangs = verdicts.iter().enumerate();
        gangs.flat_map(move |(gang, verdict)| {
            verdict.places.iter().flat_map(move |placed| {
                let pods = if is_guaranteed {
                    placed.guaranteed
                } else {
                    placed.best_effort
                };
                let one = (gang, placed.part, number_of(&placed.node));
                (0..pods).map(move |_| one)
            })
        })
    };
    of(true).chain(of(false)).collect()
}

proptest! {
    /// A gang fits if and only if there is a placement, found by trying all of them.
    #[test]
    fn one_gang_fits_if_there_is_a_placement(world in some_world(1)) {
        prop_assert_eq!(fitting(&judge(&world)), oracle::fitting(&world));
    }

    /// Where a gang before was placed does not matter to the next one.
    #[test]
    fn each_of_many_fits_if_there_is_a_placement_beside_those_before(world in some_world(3)) {
        prop_assume!(world.nodes.len() <= 3);
        prop_assert_eq!(fitting(&judge(&world)), oracle::fitting(&world));
    }

    /// The same where next to nothing is left over, so that it matters where each pod goes.
    #[test]
    fn full_clusters_are_decided_as_by_trying_all_placements(world in some_full_world()) {
        prop_assert_eq!(fitting(&judge(&world)), oracle::fitting(&world));
    }

    /// No node is given more than it has, no pod is where it may not be, and all are placed.
    #[test]
    fn a_placement_is_one(world in some_world(3)) {
        let verdicts = judge(&world);
        let places = places(&verdicts);
        prop_assert_eq!(oracle::check(&world, &places), Ok(()));
        for (gang, verdict) in verdicts.iter().enumerate() {
            let of = |pods: fn(&cli::capacity::Placed) -> u32| verdict.places.iter().map(pods).sum();
            let (guaranteed, best_effort): (u32, u32) =
                (of(|p| p.guaranteed), of(|p| p.best_effort));
            let wanted: u32 = world.gangs[gang].parts.iter().map(|part| part.guaranteed).sum();
            if verdict.outcome == Outcome::Fits {
                prop_assert_eq!((guaranteed, best_effort), (wanted, verdict.best_effort));
                prop_assert!(verdict.reasons.is_empty());
            } else {
                prop_assert_eq!(guaranteed + best_effort, 0);
                prop_assert!(verdict.guaranteed < wanted);
                prop_assert!(!verdict.reasons.is_empty());
            }
        }
    }

    /// One more node never makes a gang not fit that did; if an earlier one fits now that did not,
    /// it may have taken the room of a later one.
    #[test]
    fn one_more_node_takes_no_room_away(mut world in some_world(3), more in some_node()) {
        let before = fitting(&judge(&world));
        world.nodes.push(more);
        prop_assert!(fitting(&judge(&world)) >= before);
    }

    /// The order of nodes and pods in the dump is irrelevant.
    #[test]
    fn the_order_of_nodes_is_irrelevant(world in some_world(3)) {
        let (mut dump, gangs) = (world.dump(), world.gangs());
        let before = place_gangs(&world.snapshot(), &gangs);
        dump["items"].as_array_mut().unwrap().reverse();
        let turned = cli::capacity::read_dump(&dump.to_string(), "dump").unwrap();
        prop_assert_eq!(place_gangs(&turned, &gangs), before);
    }

    /// Other names, and so another order in which nodes are tried, change no verdict.
    #[test]
    fn the_names_of_nodes_are_irrelevant(world in some_world(3), turn in 1..4_usize) {
        let before = fitting(&judge(&world));
        let mut turned = world.clone();
        let count = turned.nodes.len();
        turned.nodes.rotate_left(turn % count);
        for (node, _) in &mut turned.bound {
            *node = (*node + count - turn % count) % count;
        }
        prop_assert_eq!(fitting(&judge(&turned)), before);
    }
}
