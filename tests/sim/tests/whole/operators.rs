//! Operators that start from old lists, two at once, one of a single namespace, and one whose objects
//! are replaced under it.

use crate::disturbance::Disturbance;
use crate::results::run_all;
use crate::ring::WATCHED;
use crate::undisturbed::Reference;

/// Runs that met what was to go wrong, at least.
const LEAST: usize = 280;
/// The same of old lists.
const LEAST_OLD: usize = 400;

/// After every write all lists are old, or that of one kind in turn.
pub fn old_lists(reference: &Reference) -> Vec<Disturbance> {
    let after = reference.writes.iter().zip(WATCHED.into_iter().cycle());
    let old = after.flat_map(|(signature, kind)| {
        [None, Some(kind)].map(|kind| Disturbance::OldLists(signature.clone(), kind))
    });
    old.collect()
}

/// The same for sets, which may do too much for a while and then undo it. A job cannot undo a
/// restart (decision 75).
fn old_lists_of_sets(reference: &Reference) -> Vec<Disturbance> {
    let is_job = reference.scenario.is_job;
    if is_job {
        Vec::new()
    } else {
        old_lists(reference)
    }
}

/// Everything else that operators may meet.
pub fn others(reference: &Reference) -> Vec<Disturbance> {
    let writes = || reference.writes.iter().cloned();
    let joined = writes().map(Disturbance::Joined);
    let replaced = writes().filter(|signature| signature.write.is_deletion_at_once());
    let replaced = replaced.map(Disturbance::Replaced);
    let rest = [Disturbance::TwoOperators, Disturbance::OneNamespace];
    joined.chain(replaced).chain(rest).collect()
}

#[test]
fn whatever_an_operator_meets_it_ends_as_if_nothing_had_been() {
    run_all(others).expect(LEAST);
}

/// Lists are asked for as the newest that there is. An API server that answers with older news makes
/// an operator do too much, but not for good.
#[test]
fn an_operator_that_starts_from_old_lists_ends_as_if_they_were_new() {
    run_all(old_lists_of_sets).expect(LEAST_OLD);
}
