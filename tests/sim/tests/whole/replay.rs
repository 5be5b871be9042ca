//! One run of the matrix again, with its story.

use crate::matrix::Cell;
use crate::scenarios::SCENARIOS;
use crate::undisturbed::Reference;

/// `WHOLE_CELL='create: POST pods#3: crash-after'` runs that cell and prints all that happened.
#[test]
fn replay() {
    let Ok(name) = std::env::var("WHOLE_CELL") else {
        return;
    };
    let parts: Vec<&str> = name.split(": ").collect();
    let [scenario, signature, fault] = parts[..] else {
        panic!("{name:?} is not `scenario: write: fault`");
    };
    let scenario = SCENARIOS.into_iter().find(|s| s.name == scenario);
    let reference = Reference::of(scenario.expect("one of the scenarios"));
    let cell = Cell {
        reference: &reference,
        signature: signature.parse().unwrap(),
        fault: fault.parse().expect("one of the faults"),
    };
    let result = cell.run(0, |ring| eprintln!("{}", ring.story(usize::MAX)));
    let is_met = result.unwrap_or_else(|wrong| panic!("{wrong}"));
    eprintln!(
        "{name}: {}",
        if is_met {
            "met"
        } else {
            "the write did not come"
        }
    );
}
