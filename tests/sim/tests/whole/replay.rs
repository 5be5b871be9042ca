//! One run again, with its story.

use crate::scenarios::SCENARIOS;
use crate::undisturbed::Reference;
use crate::{matrix, operators, watches};

/// `WHOLE_CELL='create: POST pods#3: crash-after'` runs that and prints all that happened. A part of
/// the name will do; the first run whose name has it is taken.
#[test]
fn replay() {
    let Ok(name) = std::env::var("WHOLE_CELL") else {
        return;
    };
    let is_meant = |scenario: &&_| name.starts_with(scenario_name(scenario));
    let scenario = SCENARIOS.into_iter().find(is_meant);
    let reference = Reference::of(scenario.expect("it begins with the name of a scenario"));
    let cells = matrix::cells_of(&reference).chain(watches::cells_of(&reference));
    let mut cells = cells.chain(operators::cells_of(&reference));
    let cell = cells.find(|cell| cell.name().starts_with(&name));
    let cell = cell.expect("it names a write or a watch of the scenario, and what goes wrong");
    let result = cell.run(0, None, |ring| eprintln!("{}", ring.story(usize::MAX)));
    let is_met = result.unwrap_or_else(|wrong| panic!("{wrong}"));
    eprintln!(
        "{}: {}",
        cell.name(),
        if is_met { "met" } else { "not met" }
    );
}

fn scenario_name(scenario: &crate::scenarios::Scenario) -> &str {
    scenario.name
}
