//! One run again, with its story.

use crate::cell::Cell;
use crate::undisturbed::REFERENCES;
use crate::{matrix, operators, watches};

/// `WHOLE_CELL='create: POST pods#3: crash-after'` runs that and prints its story. The beginning of
/// a name is enough: the first match is taken.
#[test]
fn replay() {
    let Ok(name) = std::env::var("WHOLE_CELL") else {
        return;
    };
    let themes = [
        matrix::faults,
        watches::troubles,
        watches::lost,
        operators::others,
        operators::old_lists,
    ];
    let cells = REFERENCES.iter().flat_map(|reference| {
        let all = themes.iter().flat_map(|theme| theme(reference));
        all.map(move |disturbance| Cell {
            reference,
            disturbance,
        })
    });
    let cell = cells
        .into_iter()
        .find(|cell| cell.name().starts_with(&name));
    let cell = cell.expect("`scenario: write: fault`, as failures name them");
    let result = cell.run(0, None, |ring| eprintln!("{}", ring.story(usize::MAX)));
    let is_met = result.unwrap_or_else(|wrong| panic!("{wrong}"));
    let met = if is_met { "met" } else { "not met" };
    eprintln!("{}: {met}", cell.name());
}
