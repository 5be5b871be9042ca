//! Each write of each scenario, with each fault: the end is that of the run without a fault.

use strum::IntoEnumIterator;

use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::results::run_all;
use crate::undisturbed::Reference;

/// The least number of runs that meet their fault: nine tenths of those of the measured tenth. With
/// fewer, scenarios, their writes or faults are missing.
const LEAST: usize = 10_600;

/// Faults of events after the first one of a scenario. Nothing follows from the answer to an event;
/// the remaining cases are late and duplicate events, and their time.
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
fn every_fault_of_a_write_has_the_undisturbed_end() {
    run_all(faults).expect(LEAST);
}
