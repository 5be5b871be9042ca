//! Operators that start from old lists, two at once, and one of a single namespace.

use crate::cell::{Cell, Results, each};
use crate::disturbance::Disturbance;
use crate::ring::WATCHED;
use crate::scenarios::SCENARIOS;
use crate::undisturbed::Reference;

/// Runs that met what was to go wrong, at least.
const LEAST: usize = 500;

/// The cells of a scenario.
pub fn cells_of(reference: &Reference) -> impl Iterator<Item = Cell<'_>> {
    let kinds = WATCHED.into_iter().map(Some).chain([None]);
    let after = reference.writes.iter().enumerate();
    // After every write all lists are old, or that of one kind in turn.
    let old = after.flat_map(move |(number, signature)| {
        let one = kinds.clone().cycle().nth(number).flatten();
        [None, one].map(|kind| Disturbance::OldLists(signature.clone(), kind))
    });
    let deletions = reference.writes.iter().filter(|s| s.write.is_deletion());
    let replaced = deletions.cloned().map(Disturbance::Replaced);
    let others = [Disturbance::TwoOperators, Disturbance::OneNamespace];
    let all = old.chain(replaced).chain(others);
    all.map(move |disturbance| Cell {
        reference,
        disturbance,
    })
}

#[test]
fn whatever_an_operator_starts_from_it_ends_as_if_nothing_had_been() {
    let references = SCENARIOS.map(Reference::of);
    let cells: Vec<Cell<'_>> = references.iter().flat_map(cells_of).collect();
    let results = Results::default();
    each(&cells, |cell| results.note(cell));
    results.expect(LEAST);
}
