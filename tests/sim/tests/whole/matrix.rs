//! Each write of each scenario, with each fault: it ends as if nothing had been.

use strum::IntoEnumIterator;

use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::results::run_all;
use crate::undisturbed::Reference;

/// Runs that meet their fault, at least. Fewer: scenarios, their writes or faults have gone missing.
const LEAST: usize = 5_500;

/// Every fault at every write.
pub fn faults(reference: &Reference) -> Vec<Disturbance> {
    let writes = reference.writes.iter();
    let all = writes.flat_map(|signature| {
        Fault::iter().map(|fault| Disturbance::Write(signature.clone(), fault))
    });
    all.collect()
}

#[test]
fn whatever_goes_wrong_with_a_write_it_ends_as_if_nothing_had() {
    run_all(faults).expect(LEAST);
}
