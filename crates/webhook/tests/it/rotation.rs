//! Rotations in a world of late news and different clocks, in which leaders crash or freeze between
//! any two writes, and a user empties the Secret or changes the names: no API server ever meets a
//! certificate that it does not trust.

mod chance;
mod process;
mod store;
mod world;

use proptest::prelude::*;
use world::{GRACE, Hands, World};

/// In lifetimes of a certificate.
const LIFETIMES: i64 = 13;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_api_server_always_trusts_the_certificate_of_every_process(seed: u64) {
        let mut world = World::new(seed, GRACE, Hands::Off);
        world.run(LIFETIMES);
        prop_assert_eq!(&world.violations, &Vec::<String>::new());
        prop_assert!(world.store.promotions() >= 20, "{} rotations", world.store.promotions());
        prop_assert!(world.store.secret.newest().bundle.len() <= 3);
    }

    #[test]
    fn every_api_server_trusts_them_though_a_user_empties_the_secret_and_changes_the_names(seed: u64) {
        let mut world = World::new(seed, GRACE, Hands::On);
        world.run(LIFETIMES);
        prop_assert_eq!(&world.violations, &Vec::<String>::new());
        prop_assert!(world.store.promotions() >= 20, "{} rotations", world.store.promotions());
        prop_assert!(world.emptied > 1 && world.renamed > 1);
    }
}

#[test]
fn the_check_notices_api_servers_that_hear_later_than_the_grace() {
    let is_violated = |seed| {
        let mut world = World::new(seed, 4 * GRACE, Hands::Off);
        world.run(LIFETIMES);
        !world.violations.is_empty()
    };
    assert!((0..8).any(is_violated));
}

#[test]
fn leaders_do_crash_and_frozen_ones_do_write_late() {
    let mut world = World::new(1, GRACE, Hands::Off);
    world.run(LIFETIMES);
    assert!(world.crashes > 5, "{} crashes", world.crashes);
    assert!(world.late_writes > 0 && world.refused > 0);
}
