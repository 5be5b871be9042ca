//! Each write of each scenario, with each fault: it ends as if nothing had been.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use strum::IntoEnumIterator;

use crate::cell::{Cell, Results, each};
use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::scenarios::SCENARIOS;
use crate::undisturbed::Reference;

/// Runs that meet their fault, at least. Fewer: scenarios, their writes or faults have gone missing.
const LEAST: usize = 2_400;

/// How often and for how long, by scenario and fault.
#[derive(Default)]
struct Table(BTreeMap<(&'static str, Fault), (usize, Duration)>);

impl Table {
    fn note(&mut self, cell: &Cell<'_>, took: Duration) {
        let Disturbance::Write(_, fault) = cell.disturbance else {
            return;
        };
        let entry = self.0.entry((cell.reference.scenario.name, fault));
        let entry = entry.or_default();
        entry.0 += 1;
        entry.1 += took;
    }

    fn print(&self) {
        let faults: Vec<String> = Fault::iter().map(|f| format!("{f:>14}")).collect();
        eprintln!("{:<14}{}", "runs, seconds", faults.concat());
        for scenario in SCENARIOS {
            let of = |fault| {
                self.0
                    .get(&(scenario.name, fault))
                    .copied()
                    .unwrap_or_default()
            };
            let cells = Fault::iter().map(|fault| {
                let (runs, took) = of(fault);
                format!("{runs:>8} {:>4.1}s", took.as_secs_f64())
            });
            eprintln!("{:<14}{}", scenario.name, cells.collect::<String>());
        }
        let runs: usize = self.0.values().map(|(runs, _)| runs).sum();
        let took: Duration = self.0.values().map(|(_, took)| took).sum();
        eprintln!("{runs} runs in {:.1} s", took.as_secs_f64());
    }
}

/// The cells of a scenario.
pub fn cells_of(reference: &Reference) -> impl Iterator<Item = Cell<'_>> {
    reference.writes.iter().flat_map(move |signature| {
        Fault::iter().map(move |fault| Cell {
            reference,
            disturbance: Disturbance::Write(signature.clone(), fault),
        })
    })
}

#[test]
fn whatever_goes_wrong_with_a_write_it_ends_as_if_nothing_had() {
    let references = SCENARIOS.map(Reference::of);
    let cells: Vec<Cell<'_>> = references.iter().flat_map(cells_of).collect();
    let (table, results) = (Mutex::new(Table::default()), Results::default());
    each(&cells, |cell| {
        let began = Instant::now();
        results.note(cell);
        table.lock().unwrap().note(cell, began.elapsed());
    });
    table.lock().unwrap().print();
    results.expect(LEAST);
}
