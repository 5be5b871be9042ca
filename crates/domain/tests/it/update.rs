//! The number of replicas that an update may take down, and the time since its last progress.

use api::GoDuration;
use api::conditions::{Reason, Status};
use api::podcliqueset::RollingUpdate;
use domain::update::{self, Advance, PodBudget, ReplicaBudget};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::after;

#[rstest]
#[case::one_by_default("4 min 4, 4 old + 0 new", 1)]
#[case::as_many_as_are_given("4 min 4 max 3, 4 old + 0 new", 3)]
#[case::missing_pods_use_it_up("4 min 4 max 2, 2 old + 1 new", 1)]
#[case::nothing_is_left("4 min 4 max 2, 1 old + 1 new", 0)]
#[case::never_below_the_minimum_where_there_is_slack("4 min 3 max 2, 4 old + 0 new", 1)]
#[case::at_the_minimum_with_slack("4 min 3 max 2, 3 old + 0 new", 0)]
#[case::below_the_minimum_without_slack("3 min 3 max 3, 3 old + 0 new", 3)]
#[case::scaled_below_the_minimum("2 min 3 max 1, 2 old + 0 new", 1)]
#[case::more_than_there_are("2 min 2 max 9, 1 old + 1 new", 1)]
#[case::surplus_pods_are_no_budget("2 min 2 max 1, 3 old + 0 new", 1)]
#[case::zero_counts_as_one("2 min 2 max 0, 2 old + 0 new", 1)]
#[case::idle("0 min 1 max 1, 0 old + 0 new", 0)]
fn pods_of_a_clique(#[case] given: &str, #[case] deletable: usize) {
    let n = numbers(given);
    let (max_unavailable, rest) = maximum(given, &n);
    let budget = PodBudget {
        desired: n[0],
        min_available: n[1],
        max_unavailable,
        ready_old: rest[0],
        ready_new: rest[1],
    };
    assert_eq!(budget.deletable(), deletable, "{given}");
}

#[rstest]
#[case::one_by_default("3 min 3, 3 existing 0 starting 3 available", 1, usize::MAX)]
#[case::one_is_starting("3 min 3, 3 existing 1 starting 2 available", 0, usize::MAX)]
#[case::one_is_gone("3 min 3, 2 existing 0 starting 2 available", 0, usize::MAX)]
#[case::two_at_a_time("3 min 3 max 2, 3 existing 0 starting 3 available", 2, usize::MAX)]
#[case::slack_is_kept("3 min 2 max 3, 3 existing 0 starting 3 available", 3, 1)]
#[case::all_down_do_not_stall("2 min 2, 2 existing 0 starting 0 available", 1, usize::MAX)]
#[case::one_of_one("1 min 1, 1 existing 0 starting 1 available", 1, usize::MAX)]
#[case::idle("0 min 1, 0 existing 0 starting 0 available", 0, usize::MAX)]
fn replicas_of_a_group(#[case] given: &str, #[case] deletable: usize, #[case] available: usize) {
    let n = numbers(given);
    let (max_unavailable, rest) = maximum(given, &n);
    let budget = ReplicaBudget {
        desired: n[0],
        min_available: n[1],
        max_unavailable,
        existing: rest[0],
        new_not_ready: rest[1],
        available: rest[2],
    };
    assert_eq!(budget.deletable(), deletable, "{given}");
    let no_limit = usize::try_from(i32::MAX).unwrap();
    let expected = if available == usize::MAX {
        no_limit
    } else {
        available
    };
    assert_eq!(budget.deletable_available(), expected, "{given}");
}

fn numbers(text: &str) -> Vec<i32> {
    let words = text.split([' ', ',']);
    words.filter_map(|word| word.parse().ok()).collect()
}

/// `max N` is the third number, if it is there.
fn maximum<'a>(text: &str, numbers: &'a [i32]) -> (Option<i32>, &'a [i32]) {
    if text.contains("max") {
        (Some(numbers[2]), &numbers[3..])
    } else {
        (None, &numbers[2..])
    }
}

#[rstest]
#[case::nothing_new((1, 1), 10)]
#[case::one_more_has_the_template((2, 1), 60)]
#[case::one_more_is_ready((1, 2), 60)]
#[case::one_crashed((1, 0), 10)]
#[case::replaced_and_crashed((2, 0), 60)]
fn a_rising_count_is_progress(#[case] now: (i32, i32), #[case] seconds: i64) {
    let before = Advance {
        updated: 1,
        ready: 1,
    };
    let present = Advance {
        updated: now.0,
        ready: now.1,
    };
    let last = present.last_progress(before, Some(&Time(after(10))), after(60));
    assert_eq!(last.0, after(seconds));
}

#[rstest]
#[case::in_time(Some("10m"), 609, Status::True, Reason::Progressing)]
#[case::at_the_very_moment(Some("10m"), 610, Status::Unknown, Reason::ProgressDeadlineExceeded)]
#[case::without_a_deadline(None, 100_000, Status::True, Reason::Progressing)]
#[case::one_that_makes_no_sense(Some("-1m"), 100_000, Status::True, Reason::Progressing)]
fn a_deadline_is_reported_and_nothing_else(
    #[case] deadline: Option<&str>,
    #[case] seconds: i64,
    #[case] status: Status,
    #[case] reason: Reason,
) {
    let rolling = RollingUpdate {
        progress_deadline: deadline.map(|d| GoDuration(d.into())),
        ..RollingUpdate::default()
    };
    let due = update::deadline_at(Some(&rolling), Some(&Time(after(10))));
    let verdict = update::verdict("1/3 pods updated and ready", due, after(seconds));
    assert_eq!((verdict.status, verdict.reason), (status, reason));
    assert!(verdict.message.ends_with("1/3 pods updated and ready"));
}
