//! Each write of each scenario, with each fault: it ends as if nothing had been.

use strum::IntoEnumIterator;

use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::results::run_all;
use crate::undisturbed::Reference;

/// Runs that meet their fault, at least. Fewer: scenarios, their writes or faults have gone missing.
const LEAST: usize = 6_900;

/// What events after the first one of a scenario meet. Nothing follows from the answer to an event, so
/// what is left is that it is late, that it is told twice, and the moment in which it is told.
const OF_LATER_EVENTS: [Fault; 3] = [Fault::CrashAfter, Fault::LostAnswer, Fault::Hang];

/// Every fault at every write.
pub fn faults(reference: &Reference) -> Vec<Disturbance> {
    let writes = reference.writes.iter();
    let all = writes.flat_map(|signature| {
        let is_alike = signature.write.is_of_event() && signature.number > 1;
        let faults = Fault::iter().filter(move |f| !is_alike || OF_LATER_EVENTS.contains(f));
        faults.map(|fault| Disturbance::Write(signature.clone(), fault))
    });
    all.collect()
}

#[test]
fn whatever_goes_wrong_with_a_write_it_ends_as_if_nothing_had() {
    run_all(faults).expect(LEAST);
}
