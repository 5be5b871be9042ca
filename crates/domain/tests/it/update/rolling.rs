//! Updates by `RollingRecreate`, with and without surge, in a model: decisions, and what happens
//! between them in any order.

mod model;

use domain::update::Limits;
use proptest::prelude::*;

use model::{Decision, Event, Model};

/// Without surge one unit may be missing at least.
fn limits(desired: i32, max_unavailable: i32, max_surge: i32) -> Limits {
    let max_surge = max_surge.min(desired);
    let least = i32::from(max_surge == 0);
    Limits {
        max_unavailable: max_unavailable.max(least).min(desired),
        max_surge,
    }
}

/// A clique of some pods, of which some may have no room, or with room for more.
fn model() -> impl Strategy<Value = Model> {
    let sizes = (1..9_i32, 1..9_i32, 0..4_i32, 0..4_i32, 0..14_usize);
    sizes.prop_map(|(desired, minimum, max_unavailable, max_surge, places)| {
        let limits = limits(desired, max_unavailable, max_surge);
        Model::new(desired, minimum.min(desired), limits, places)
    })
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let n = || 0..32_usize;
    let event = prop_oneof![
        6 => n().prop_map(Event::Place),
        6 => n().prop_map(Event::Start),
        1 => n().prop_map(Event::Crash),
        1 => n().prop_map(Event::Blink),
        1 => n().prop_map(Event::Lose),
        1 => Just(Event::Wait),
        1 => Just(Event::Edit),
    ];
    prop::collection::vec(event, 0..80)
}

/// The number of available units that no decision goes below: `maxUnavailable` fewer than the most
/// that ran, and the minimum where more ran.
fn floor(decision: &Decision) -> i32 {
    let seen = &decision.seen;
    let reached = seen.reached.unwrap_or(0).min(seen.desired);
    let below = (reached - seen.limits.max_unavailable).max(0);
    if reached > seen.minimum {
        below.max(seen.minimum)
    } else {
        below
    }
}

/// A decision that deletes an available unit leaves the floor; with surge an old one goes only where as
/// many are left as ran.
fn expect_floor(decision: &Decision) {
    let seen = &decision.seen;
    let left = seen.available - decision.deleted;
    assert!(
        decision.deleted == 0 || seen.reached.is_some(),
        "deleted before it is stored how many ran: {decision:?}"
    );
    assert!(
        decision.deleted == 0 || left >= floor(decision),
        "{left} are left, the floor is {}: {decision:?}",
        floor(decision)
    );
    let has_surge = seen.limits.max_surge > 0 && !seen.is_without_surge;
    let reached = seen.reached.unwrap_or(0).min(seen.desired);
    assert!(
        decision.deleted_old == 0 || !has_surge || left >= reached,
        "{left} are left, with surge all {reached} serve: {decision:?}"
    );
}

/// All goes well from now on: the update ends, with new units only, and no surge is left.
fn expect_end(model: &mut Model) {
    for _ in 0..200 {
        expect_floor(&model.decide());
        model.settle();
        let now = model.component();
        if now.reached.is_some() && now.is_done() {
            assert!(model.is_updated(), "{model:?}");
            return;
        }
    }
    panic!("it does not end: {model:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever happens, and however often it is decided.
    #[test]
    fn no_decision_goes_below_the_floor(mut model in model(), events in events()) {
        for event in events {
            expect_floor(&model.decide());
            model.happen(event);
        }
    }

    /// Without surge it needs no more room than there was.
    #[test]
    fn every_update_ends_once_there_is_room(mut model in model(), events in events()) {
        for event in events {
            model.decide();
            model.happen(event);
        }
        let now = model.component();
        if now.limits.max_surge > 0 {
            model.make_room(now.desired + now.limits.max_surge);
        }
        expect_end(&mut model);
    }

    /// Surge that finds no room is given up where units may be missing instead.
    #[test]
    fn an_update_without_room_for_surge_ends(
        desired in 1..9_i32, minimum in 1..9_i32, max_unavailable in 1..4_i32, max_surge in 1..4_i32,
        places in 1..14_usize
    ) {
        let limits = limits(desired, max_unavailable, max_surge);
        let mut model = Model::new(desired, minimum.min(desired), limits, places);
        expect_end(&mut model);
    }
}
