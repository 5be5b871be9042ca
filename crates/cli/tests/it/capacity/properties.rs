//! Properties of any cluster and any gangs.

use cli::capacity::{GangVerdict, Outcome, place_gangs};
use proptest::prelude::*;

use super::check;
use super::model::{World, number_of, some_world};

fn judge(world: &World) -> Vec<GangVerdict> {
    place_gangs(&world.snapshot(), &world.gangs())
}

/// Gang, part and node of each pod, in the order of placement: guaranteed pods first.
fn places(verdicts: &[GangVerdict]) -> Vec<(usize, usize, usize)> {
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
    /// A placement keeps every rule; a gang without one gets a reason.
    #[test]
    fn a_placement_is_one(world in some_world(3)) {
        let verdicts = judge(&world);
        let places = places(&verdicts);
        prop_assert_eq!(check::check(&world, &places), Ok(()));
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

    /// The order of nodes and pods in the dump is irrelevant.
    #[test]
    fn the_order_of_nodes_is_irrelevant(world in some_world(3)) {
        let (mut dump, gangs) = (world.dump(), world.gangs());
        let before = place_gangs(&world.snapshot(), &gangs);
        dump["items"].as_array_mut().unwrap().reverse();
        let turned = cli::capacity::read_dump(&dump.to_string(), "dump").unwrap();
        prop_assert_eq!(place_gangs(&turned, &gangs), before);
    }
}
