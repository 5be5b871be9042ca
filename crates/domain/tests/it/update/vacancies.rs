//! The indexes that stay vacant in a turn while other cliques and groups are updated.

use domain::update::{self, Others, Vacancies};
use rstest::rstest;

use super::component::component;

/// As for a component; `alone`: all others are done; `missing`: another one misses units that ran. Then
/// the indexes that are held, that have units without a node, and that may be held.
fn next(given: &str, held: &[i32], refused: &[i32], optional: &[i32]) -> Vec<i32> {
    let set = |indexes: &[i32]| indexes.iter().copied().collect();
    let vacancies = Vacancies {
        held: set(held),
        refused: set(refused),
        optional: set(optional),
    };
    let mut numbers = component(given);
    numbers.held = i32::try_from(held.len()).unwrap();
    let others = Others {
        are_open: !given.contains("alone"),
        miss_units: given.contains("missing"),
    };
    let next = vacancies.next_held(&numbers, others);
    next.into_iter().collect()
}

#[rstest]
#[case::nothing_without_a_unit_that_has_no_node(
    "4/2 reached 3 available 3 old 4", &[], &[], &[2, 3], &[])]
#[case::its_own_index("4/2 reached 3 available 3 old 4", &[], &[2], &[2, 3], &[2])]
#[case::another_one_for_the_base_gang("4/2 reached 3 available 3 old 4", &[], &[0], &[2, 3], &[3])]
#[case::with_the_turn("4/2 available 3 old 4", &[], &[0], &[2, 3], &[3])]
#[case::several("8/2 reached 5 available 5 old 8", &[], &[5, 6, 7], &[2, 3, 4, 5, 6, 7], &[5, 6, 7])]
#[case::as_many_as_ran_stay("4/2 reached 4 available 3 old 4", &[], &[3], &[2, 3], &[])]
#[case::the_required_ones_stay("4/3 reached 0 available 0 old 4", &[], &[0, 1, 2, 3], &[3], &[3])]
#[case::one_that_is_not_changed("4/2 available 3", &[], &[3], &[], &[])]
#[case::nobody_else_is_updated("4/2 reached 3 available 3 old 4 alone", &[], &[3], &[2, 3], &[])]
#[case::surge_comes_first("4/2 reached 3 available 3 old 4 surge 1", &[], &[3], &[2, 3], &[])]
#[case::without_surge("4/2 reached 3 available 3 old 4 surge 1 without", &[], &[3], &[2, 3], &[3])]
fn as_many_indexes_as_units_without_a_node_become_vacant(
    #[case] given: &str,
    #[case] held: &[i32],
    #[case] refused: &[i32],
    #[case] optional: &[i32],
    #[case] expected: &[i32],
) {
    assert_eq!(next(given, held, refused, optional), expected, "{given}");
}

#[rstest]
#[case::its_unit_is_gone("4/2 reached 3 available 3 old 3", &[3], &[], &[2, 3], &[3])]
#[case::the_base_gang_still_waits("4/2 reached 3 available 2 old 3", &[3], &[0], &[2, 3], &[3])]
#[case::it_took_a_place_of_others("4/2 reached 3 available 4 old 4 missing", &[3], &[], &[2, 3], &[3])]
#[case::its_own_old_ones_are_the_last("4/2 reached 3 available 3 old 1 alone", &[3], &[], &[3], &[3])]
#[case::it_is_done_before_others("4/2 reached 3 available 3", &[3], &[], &[3], &[3])]
#[case::all_are_done("4/2 reached 3 available 3 alone", &[3], &[], &[3], &[])]
#[case::there_is_room_for_all("4/2 reached 3 available 4 old 4", &[3], &[], &[2, 3], &[])]
#[case::the_lowest_first(
    "8/2 reached 7 available 7 old 3 missing", &[5, 6, 7], &[], &[5, 6, 7], &[7])]
#[case::scaled_in("3/2 reached 3 available 3 old 3", &[3], &[], &[2], &[])]
#[case::recreated_by_a_termination("4/2 available 0", &[3], &[], &[0, 1, 2, 3], &[])]
fn a_vacant_index_stays_so_until_all_are_done(
    #[case] given: &str,
    #[case] held: &[i32],
    #[case] refused: &[i32],
    #[case] optional: &[i32],
    #[case] expected: &[i32],
) {
    assert_eq!(next(given, held, refused, optional), expected, "{given}");
}

/// A group or clique reads the list from a view of the set, beside a record of its own.
#[rstest]
#[case::as_many_as_ran_exist(4, Some(3), vec![3])]
#[case::before_anything_is_counted(4, None, vec![2, 3])]
#[case::more_ran_since(4, Some(4), vec![])]
#[case::scaled_in(2, Some(3), vec![])]
#[case::scaled_out(6, Some(3), vec![1, 2, 3])]
fn fewer_units_than_ran_never_stay(
    #[case] desired: i32,
    #[case] reached: Option<i32>,
    #[case] expected: Vec<i32>,
) {
    let held = update::held_indexes([1, 2, 3], desired, 2, reached);
    assert_eq!(held.into_iter().collect::<Vec<_>>(), expected);
}

/// A unit that took the place of another part's does not raise the number that has to stay.
#[rstest]
#[case::nothing_is_vacant("4/2 reached 3 available 4 old 4", Some(4), 0)]
#[case::it_has_the_room_of_another("4/2 reached 3 available 4 old 4 vacant 1", Some(3), 1)]
#[case::it_gives_no_more_than_the_budget(
    "9/2 reached 3 available 6 old 9 vacant 6 max 2",
    Some(3),
    2
)]
#[case::the_turn_begins("4/2 available 4 old 4 vacant 1", Some(3), 0)]
fn vacant_indexes_do_not_count_as_reached(
    #[case] given: &str,
    #[case] reached: Option<i32>,
    #[case] deletable: usize,
) {
    let numbers = component(given);
    assert_eq!(numbers.next_reached(), reached);
    assert_eq!(numbers.deletable(), deletable);
}
