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
/// Faults that only the next full list repairs.
const LOST: [Trouble; 3] = [
    Trouble::LostForeign(0),
    Trouble::LostForeign(1),
    Trouble::LostForeign(2),
];
/// The least number of runs whose watch met its fault, four fifths of the measured number: not every
/// scenario has events of every kind.
const LEAST: usize = 1_300;

/// The same for lost events of other writers.
const LEAST_LOST: usize = 100;

/// Every fault of the watch of every kind.
pub fn troubles(_: &Reference) -> Vec<Disturbance> {
    of_every_kind(&TROUBLES)
}

/// The same for faults that only the next full list repairs.
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
fn every_fault_of_a_watch_has_the_undisturbed_end() {
    run_all(troubles).expect(LEAST);
}

/// A watch continues from version to version, and the decision that is repeated every ten minutes
/// uses the caches: each kind is listed again every half an hour.
#[test]
fn a_lost_event_of_another_writer_is_replaced_by_a_list() {
    run_all(lost).expect(LEAST_LOST);
}
