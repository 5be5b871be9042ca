//! Watches that fall silent, lag, end, expire or lose an event.

use crate::disturbance::Disturbance;
use crate::results::run_all;
use crate::ring::WATCHED;
use crate::trouble::Trouble;
use crate::undisturbed::Reference;

const TROUBLES: [Trouble; 8] = [
    Trouble::Silent,
    Trouble::Late,
    Trouble::Cut,
    Trouble::ExpiredInStream,
    Trouble::ExpiredAtStart,
    Trouble::LostOwn(0),
    Trouble::LostOwn(1),
    Trouble::LostOwn(2),
];
/// What only the next full list tells.
const LOST: [Trouble; 3] = [
    Trouble::LostForeign(0),
    Trouble::LostForeign(1),
    Trouble::LostForeign(2),
];
/// Runs whose watch met its trouble, at least: not every scenario has events of every kind.
const LEAST: usize = 380;

/// The same of lost events of what others did.
const LEAST_LOST: usize = 18;

/// Every trouble with the watch of every kind.
pub fn troubles(_: &Reference) -> Vec<Disturbance> {
    of_every_kind(&TROUBLES)
}

/// The same of events that only the next full list makes up for.
pub fn lost(_: &Reference) -> Vec<Disturbance> {
    of_every_kind(&LOST)
}

fn of_every_kind(troubles: &[Trouble]) -> Vec<Disturbance> {
    let all = WATCHED.into_iter().flat_map(|kind| {
        let troubles = troubles.iter();
        troubles.map(move |trouble| Disturbance::Watch(kind, *trouble))
    });
    all.collect()
}

#[test]
fn whatever_goes_wrong_with_a_watch_it_ends_as_if_nothing_had() {
    run_all(troubles).expect(LEAST);
}

/// A watch goes on from version to version, and what is decided again every ten minutes is decided
/// on what the caches show: each kind is listed anew every half an hour.
#[test]
fn an_event_of_what_others_did_that_is_lost_is_made_up_for() {
    run_all(lost).expect(LEAST_LOST);
}
