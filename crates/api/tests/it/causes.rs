//! The order in which causes are reported.

use api::conditions::Reason;
use strum::IntoEnumIterator as _;

/// A pod that only waits for time never hides one that needs a person.
#[test]
fn causes_that_a_person_has_to_fix_are_reported_before_passing_ones() {
    let causes = || Reason::iter().filter(|r| r.priority() < usize::MAX);
    let blocking = causes().filter(|r| r.is_blocking()).map(Reason::priority);
    let passing = causes().filter(|r| !r.is_blocking()).map(Reason::priority);
    assert!(blocking.max() < passing.min());
    assert_eq!(Reason::AllReady.priority(), usize::MAX, "no cause");
}

#[test]
fn no_two_causes_are_reported_at_once() {
    let mut all: Vec<usize> = Reason::iter().map(Reason::priority).collect();
    all.retain(|priority| *priority < usize::MAX);
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..all.len()), "{all:?}");
}
