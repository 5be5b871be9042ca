//! The units that an update may take down, and when its turn passes on.

use api::podcliqueset::RollingUpdate;
use domain::update::{self, Component, Limits, SurgeUnit};
use rstest::rstest;

/// `desired/minimum`, `reached R`, `available A`, `max U`, `surge S` with the units of `units N/A`,
/// N surge units of which A are available; `from` is their first index; `vacant N`: so many indexes
/// stay vacant.
pub(super) fn component(given: &str) -> Component {
    let words: Vec<&str> = given.split_whitespace().collect();
    let number = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words[at + 1].parse::<i32>().ok()
    };
    let (desired, minimum) = words[0].split_once('/').unwrap();
    let (desired, minimum): (i32, i32) = (desired.parse().unwrap(), minimum.parse().unwrap());
    let units = words.iter().position(|word| *word == "units");
    let units = units.and_then(|at| words[at + 1].split_once('/'));
    let (surge, surge_available) = units.map_or((0, 0), |(all, available)| {
        (all.parse().unwrap(), available.parse().unwrap())
    });
    let rolling = RollingUpdate {
        max_unavailable: number("max"),
        max_surge: number("surge"),
        ..RollingUpdate::default()
    };
    Component {
        desired,
        minimum: minimum.min(desired),
        available: number("available").unwrap_or(0),
        old: number("old").unwrap_or(0),
        kept_down: number("kept").unwrap_or(0),
        starting: number("starting").unwrap_or(0),
        reached: number("reached"),
        is_short_of_room: given.contains("short"),
        must_return: given.contains("returns"),
        is_recreated: given.contains("recreated"),
        surge,
        surge_available,
        surge_old: 0,
        limits: Limits::of_group(Some(&rolling), desired, minimum, number("from")),
        is_without_surge: given.contains("without"),
        held: number("vacant").unwrap_or(0),
    }
}

#[rstest]
#[case::one_by_default("4/4 reached 4 available 4", 1)]
#[case::as_many_as_are_given("4/4 reached 4 available 4 max 3", 3)]
#[case::missing_units_use_it_up("4/4 reached 4 available 3 max 2", 1)]
#[case::nothing_is_left("4/4 reached 4 available 2 max 2", 0)]
#[case::units_that_never_had_room_do_not_count("8/2 reached 6 available 6", 1)]
#[case::the_minimum_stays("4/3 reached 4 available 4 max 2", 1)]
#[case::at_the_minimum("4/3 reached 4 available 3 max 2", 0)]
#[case::no_more_than_the_minimum_ran("4/3 reached 3 available 3", 1)]
#[case::without_slack("3/3 reached 3 available 3 max 3", 3)]
#[case::scaled_below_the_minimum("2/3 reached 2 available 2", 1)]
#[case::scaled_in_meanwhile("2/1 reached 5 available 2", 1)]
#[case::zero_counts_as_one("2/2 reached 2 available 2 max 0", 1)]
#[case::nothing_before_it_is_stored("4/4 available 4 max 4", 0)]
#[case::idle("0/1 reached 0 available 0", 0)]
#[case::surge_comes_first("1/1 reached 1 available 1 old 1 surge 1", 0)]
#[case::surge_serves("1/1 reached 1 available 2 old 1 surge 1 units 1/1", 1)]
#[case::its_successor_starts("1/1 reached 1 available 1 surge 1 units 1/1", 0)]
#[case::all_surge_units_are_needed("4/2 reached 4 available 5 old 4 surge 2 units 2/1", 0)]
#[case::as_many_as_there_are_surge_units("4/2 reached 4 available 6 old 4 surge 2 units 2/2", 2)]
#[case::without_surge("4/2 reached 4 available 4 old 4 max 2 surge 2 without", 2)]
#[case::no_surge_below_the_minimum("1/2 reached 1 available 1 old 1 surge 1", 1)]
#[case::a_rise_is_stored_first("10/1 reached 3 available 10 old 10", 0)]
#[case::surge_is_no_rise("4/2 reached 3 available 4 old 3 max 1 surge 1 units 1/1 without", 2)]
#[case::surge_begun_above_the_minimum("1/2 reached 2 available 1 old 1 surge 1 from 2", 0)]
fn the_budget_counts_from_the_most_that_ran(#[case] given: &str, #[case] deletable: usize) {
    assert_eq!(component(given).deletable(), deletable, "{given}");
}

#[rstest]
#[case::all_while_an_old_one_is_left("2/1 reached 2 available 3 old 1 surge 1 units 1/1", vec![])]
#[case::until_the_others_are_back("2/1 reached 2 available 2 surge 1 units 1/1", vec![])]
#[case::none_afterwards("2/1 reached 2 available 3 surge 1 units 1/1", vec![4])]
#[case::also_those_that_never_served("2/1 reached 2 available 2 surge 1 units 1/0", vec![4])]
#[case::without_room_first_those_that_do_not_serve(
    "4/1 reached 4 available 5 old 3 surge 2 units 2/1 without", vec![5, 4])]
#[case::those_that_are_needed_serve_on(
    "4/1 reached 4 available 4 old 3 surge 2 units 2/1 without", vec![5])]
#[case::more_than_max_surge("4/1 reached 4 available 6 old 3 surge 1 units 2/2", vec![5])]
#[case::more_than_max_surge_that_are_needed("4/1 reached 4 available 4 old 3 surge 1 units 2/2", vec![])]
#[case::max_surge_is_removed("4/1 reached 4 available 5 old 3 units 2/1", vec![5, 4])]
#[case::max_surge_is_removed_and_it_is_needed("4/1 reached 4 available 4 old 3 units 1/1", vec![])]
#[case::the_last_one_finds_no_room("1/1 reached 1 available 1 surge 1 units 1/1 short", vec![])]
#[case::others_find_no_room("4/1 reached 4 available 4 surge 2 units 2/2 short", vec![5])]
#[case::others_start("4/1 reached 4 available 4 surge 2 units 2/2 short starting 1", vec![])]
#[case::a_kept_one_is_down("4/2 reached 4 available 4 surge 1 units 1/1 kept 1", vec![4])]
#[case::a_kept_one_is_down_and_none_may_be(
    "4/2 reached 4 available 4 max 0 surge 1 units 1/1 kept 1", vec![])]
#[case::a_kept_one_is_down_and_another_starts(
    "4/2 reached 4 available 3 surge 1 units 1/1 kept 1 starting 1", vec![])]
fn surge_units_go_when_they_are_not_needed(#[case] given: &str, #[case] expected: Vec<i32>) {
    let component = component(given);
    let available = component.surge_available;
    let units = (0..component.surge).map(|k| SurgeUnit {
        index: 4 + k,
        is_available: k < available,
    });
    let (gone, rest) = component.release_surge(units.collect());
    let to_i32 = |count| i32::try_from(count).unwrap();
    let served = to_i32(gone.iter().filter(|unit| unit.is_available).count());
    assert_eq!(gone.iter().map(|u| u.index).collect::<Vec<_>>(), expected);
    let left = Component {
        available: component.available - served,
        surge: component.surge - to_i32(gone.len()),
        surge_available: available - served,
        ..component
    };
    assert_eq!(rest, left);
}

#[rstest]
#[case::there_is_room("2/1 reached 2 available 2 old 2 surge 1", false)]
#[case::there_is_none("2/1 reached 2 available 2 old 2 surge 1 short", true)]
#[case::it_stays_so("2/1 reached 2 available 2 old 2 surge 1 without", true)]
#[case::nothing_may_be_missing("2/1 reached 2 available 2 old 2 surge 1 max 0 short", false)]
#[case::nothing_is_old("2/1 reached 2 available 1 surge 1 short", false)]
#[case::it_has_none("2/1 reached 2 available 2 old 2 short", false)]
fn without_room_surge_is_given_up(#[case] given: &str, #[case] expected: bool) {
    assert_eq!(component(given).gives_surge_up(), expected, "{given}");
}

#[rstest]
#[case::beyond_all_that_exist(None, 3, &[0, 1, 4], 5)]
#[case::beyond_replicas(None, 3, &[0], 3)]
#[case::it_is_kept(Some(5), 3, &[0, 1, 7], 5)]
#[case::it_follows_replicas(Some(5), 6, &[0, 1], 6)]
fn surge_begins_above_all_indexes(
    #[case] stored: Option<i32>,
    #[case] desired: i32,
    #[case] indexes: &[i32],
    #[case] expected: i32,
) {
    let indexes = indexes.iter().copied();
    assert_eq!(update::next_surge_from(stored, desired, indexes), expected);
}

#[rstest]
#[case::begins_with_an_old_unit("4/2 available 3 old 3", Some(3))]
#[case::not_without_one("4/2 available 3", None)]
#[case::nothing_ran("4/2 old 4", Some(0))]
#[case::rises("4/2 reached 3 available 4", Some(4))]
#[case::never_falls("4/2 reached 3 available 1", Some(3))]
#[case::but_for_a_scale_in("2/2 reached 3 available 1", Some(2))]
#[case::surplus_is_not_counted("2/2 reached 2 available 3", Some(2))]
#[case::nor_is_surge("4/2 reached 2 available 3 units 1/1", Some(2))]
fn the_most_that_ran_is_stored(#[case] given: &str, #[case] reached: Option<i32>) {
    assert_eq!(component(given).next_reached(), reached, "{given}");
}

#[rstest]
#[case::all_are_back("4/2 reached 4 available 4", true)]
#[case::one_is_old("4/2 reached 4 available 4 old 1", false)]
#[case::one_is_missing("4/2 reached 4 available 3", false)]
#[case::one_has_no_room("4/2 reached 4 available 3 short", true)]
#[case::one_has_no_room_and_one_starts("4/2 reached 4 available 3 short starting 1", false)]
#[case::too_few_have_room("4/2 reached 4 available 1 short", false)]
#[case::more_are_wanted_than_ran("8/2 reached 6 available 6", true)]
#[case::fewer_ran_than_are_needed("4/3 reached 1 available 2", false)]
#[case::fewer_ran_and_there_is_no_room("4/3 reached 1 available 1 short", true)]
#[case::one_that_is_kept_is_down("4/2 reached 4 available 3 kept 1", true)]
#[case::nothing_ran_before("2/2 reached 0 available 0", false)]
#[case::it_had_no_old_unit("2/2 available 0", true)]
#[case::scaled_to_zero("0/2 reached 2 available 0", true)]
#[case::a_surge_unit_is_left("2/2 reached 2 available 3 units 1/1", false)]
#[case::it_has_to_return("2/2 available 1 returns", false)]
#[case::it_has_to_return_and_finds_no_room("2/2 available 1 short returns", false)]
#[case::it_has_returned("2/2 available 2 returns", true)]
#[case::recreated("2/2 available 1 recreated", false)]
#[case::recreated_without_room("2/2 available 1 short recreated", true)]
#[case::recreated_and_available("2/2 available 2 recreated", true)]
#[case::it_has_to_return_though_nothing_ran("4/2 reached 0 available 1 short returns", false)]
fn a_turn_passes_on_when_all_that_ran_runs_again(#[case] given: &str, #[case] is_done: bool) {
    assert_eq!(component(given).is_done(), is_done, "{given}");
}

/// A pod that waits is stored. A record that ends with one ended for lack of room.
#[rstest]
#[case::an_old_one_is_left("4/2 reached 4 available 4 old 1", true)]
#[case::surge_is_left("4/2 reached 4 available 5 units 1/1", true)]
#[case::one_that_ran_is_missing("4/2 reached 4 available 3", true)]
#[case::more_are_wanted_than_ran("8/2 reached 6 available 6", false)]
#[case::fewer_ran_than_are_required("4/3 reached 1 available 2", true)]
#[case::it_has_to_return("4/2 available 1 returns", true)]
#[case::it_has_returned("4/2 available 2 returns", false)]
#[case::it_had_no_old_unit("4/2 available 1", false)]
fn a_wait_for_room_counts_until_all_that_ran_runs_again(
    #[case] given: &str,
    #[case] needs_room: bool,
) {
    assert_eq!(component(given).needs_room(), needs_room, "{given}");
}

#[rstest]
#[case::the_only_engine("1/1 reached 1 available 0 short", true)]
#[case::it_starts("1/1 reached 1 available 0 short starting 1", false)]
#[case::optional_units("4/2 reached 4 available 2 short", false)]
#[case::nothing_ran_before("1/1 reached 0 available 0 short", false)]
#[case::it_was_terminated_meanwhile("1/1 available 0 short returns", true)]
fn what_has_to_run_finds_no_room(#[case] given: &str, #[case] lacks_room: bool) {
    assert_eq!(component(given).lacks_room(), lacks_room, "{given}");
}
