//! Operators that start from old lists, two at once, one with a single namespace, and one whose
//! objects are replaced.

use crate::disturbance::Disturbance;
use crate::results::run_all;
use crate::ring::WATCHED;
use crate::scenarios::Scenario;
use crate::undisturbed::Reference;

/// The least number of runs that meet their fault: nine tenths of the measured number.
const LEAST: usize = 1_440;
/// The same with old lists.
const LEAST_OLD: usize = 2_400;

/// After every write all lists are old, or that of each kind in turn.
pub fn old_lists(reference: &Reference) -> Vec<Disturbance> {
    let after = reference.writes.iter().zip(WATCHED.into_iter().cycle());
    let old = after.flat_map(|(signature, kind)| {
        [None, Some(kind)].map(|kind| Disturbance::OldLists(signature.clone(), kind))
    });
    old.collect()
}

/// Scenarios whose end may be another one after old lists, and right as well: an operator that sees no
/// turn counts a surge pod as real, which then stays at its index, and begins the record of the turn
/// anew (decision 153).
const OTHER_ENDS: [&str; 2] = ["surge", "canary"];

/// Whether after old lists the claim of the scenario decides about its end, not its undisturbed end.
pub fn has_other_end(scenario: &Scenario) -> bool {
    OTHER_ENDS.contains(&scenario.name)
}

/// The same for sets, which may do too much for a while and then undo it. A job cannot undo a
/// restart (decision 75).
fn old_lists_of_sets(reference: &Reference) -> Vec<Disturbance> {
    if reference.scenario.is_job {
        Vec::new()
    } else {
        old_lists(reference)
    }
}

/// All other faults of operators.
pub fn others(reference: &Reference) -> Vec<Disturbance> {
    let writes = || reference.writes.iter().cloned();
    let joined = writes().map(Disturbance::Joined);
    let replaced = writes().filter(|signature| signature.write.is_deletion_at_once());
    let replaced = replaced.map(Disturbance::Replaced);
    // An operator of one namespace may not read the topology.
    let may_be_confined = !reference.scenario.has_topology;
    let confined = may_be_confined.then_some(Disturbance::OneNamespace);
    let rest = [Disturbance::TwoOperators].into_iter().chain(confined);
    joined.chain(replaced).chain(rest).collect()
}

#[test]
fn every_fault_of_an_operator_has_the_undisturbed_end() {
    run_all(others).expect(LEAST);
}

/// Lists are requested at the newest version. An API server that answers with older data makes an
/// operator do too much, but not for good.
#[test]
fn an_operator_that_starts_from_old_lists_ends_as_if_they_were_new() {
    run_all(old_lists_of_sets).expect(LEAST_OLD);
}
