//! The connection that is closed for another.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use rstest::rstest;
use webhook::server::victim::Stage::{Arriving, Idle, Late, Ours};
use webhook::server::victim::{Candidate, Stage, choose_victim};

type Row = (u8, usize, Stage, u64);

fn address(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
}

/// Each with its address, its share, its stage and its lag in milliseconds.
fn choose(rows: &[Row], newcomer: u8, is_pressed: bool) -> Option<usize> {
    let all = rows.iter().map(|(last, holds, stage, lag)| Candidate {
        address: address(*last),
        holds: *holds,
        stage: *stage,
        lag: Duration::from_millis(*lag),
    });
    choose_victim(&all.collect::<Vec<_>>(), address(newcomer), is_pressed)
}

#[rstest]
#[case::nobody_is_there(&[], 1, false, None)]
#[case::the_latest_goes(&[(1, 1, Late, 300), (1, 1, Late, 400)], 1, false, Some(1))]
#[case::who_is_late_goes_before_who_is_idle(&[(1, 1, Idle, 9000), (1, 1, Late, 300)], 1, false, Some(1))]
#[case::the_longest_idle_goes(&[(1, 1, Idle, 9000), (1, 1, Idle, 300)], 1, false, Some(0))]
#[case::nobody_else_goes(&[(1, 1, Arriving, 200), (1, 1, Ours, 3000)], 1, false, None)]
#[case::but_where_many_wait(&[(1, 1, Arriving, 200), (1, 1, Ours, 3000)], 1, true, Some(0))]
#[case::even_what_is_judged(&[(1, 1, Ours, 200), (1, 1, Ours, 3000)], 1, true, Some(1))]
#[case::of_the_address_with_most(&[(1, 1, Late, 900), (2, 1, Idle, 1), (2, 1, Idle, 2)], 3, false, Some(2))]
#[case::not_of_one_with_fewer(&[(1, 1, Late, 900), (2, 1, Arriving, 1), (2, 1, Arriving, 2)], 2, false, None)]
#[case::not_of_one_with_as_many(&[(1, 1, Late, 900), (2, 1, Arriving, 1)], 2, true, Some(1))]
#[case::of_its_own_where_that_has_most(&[(1, 1, Late, 900), (2, 1, Idle, 1), (2, 1, Idle, 2)], 2, false, Some(2))]
#[case::what_counts_is_what_they_hold(&[(1, 9, Late, 300), (2, 2, Late, 900), (2, 2, Late, 900)], 3, false, Some(0))]
#[case::who_holds_nothing_has_nothing_to_give(&[(1, 0, Late, 900), (2, 1, Late, 300)], 1, false, Some(1))]
fn it_is_chosen_by_share_then_by_turn_then_by_lag(
    #[case] rows: &[Row],
    #[case] newcomer: u8,
    #[case] is_pressed: bool,
    #[case] expected: Option<usize>,
) {
    assert_eq!(choose(rows, newcomer, is_pressed), expected);
}

/// With any number of attackers, each with the largest possible share, a new address finds a
/// victim, which is an attacker.
#[rstest]
fn a_newcomer_with_nothing_finds_one(#[values(1, 4, 8, 64)] attackers: u8) {
    let all = (0..64).map(|n| (10 + n % attackers, 1, Late, 300 + u64::from(n)));
    let rows: Vec<Row> = all.collect();
    assert!(choose(&rows, 1, false).is_some());
    let rows: Vec<Row> = rows.into_iter().chain([(1, 1, Idle, 9000)]).collect();
    let victim = choose(&rows, 1, false);
    assert_ne!(
        victim.map(|index| rows[index].0),
        Some(1).filter(|_| attackers < 64)
    );
}
