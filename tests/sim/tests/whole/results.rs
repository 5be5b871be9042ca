//! The results of many runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::cell::Cell;
use crate::disturbance::Disturbance;
use crate::scenarios::SCENARIOS;
use crate::share::{is_played, least_of};
use crate::undisturbed::{REFERENCES, Reference};

/// Lines of the story of a failure.
const LINES: usize = 120;

/// The results.
#[derive(Default)]
pub struct Results {
    met: usize,
    failures: Vec<(String, String)>,
    /// Runs and their time, by scenario and fault.
    cells: BTreeMap<(&'static str, String), (usize, Duration)>,
}

/// Runs each scenario with its share of these faults, several at once.
pub fn run_all(disturbances: fn(&Reference) -> Vec<Disturbance>) -> Results {
    let cells = REFERENCES
        .iter()
        .enumerate()
        .flat_map(|(scenario, reference)| {
            let all = disturbances(reference).into_iter().enumerate();
            let played = all.filter(move |(run, _)| is_played(scenario, *run));
            played.map(move |(_, disturbance)| Cell {
                reference,
                disturbance,
            })
        });
    let cells: Vec<Cell> = cells.collect();
    let results = Mutex::new(Results::default());
    each(&cells, |cell| {
        let began = Instant::now();
        let result = cell.run(LINES, None, |_| ());
        let took = began.elapsed();
        results.lock().unwrap().note(cell, result, took);
    });
    results.into_inner().unwrap()
}

/// Runs all of them, several at once.
pub fn each<T: Sync>(all: &[T], run: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::SeqCst)) {
                    run(one);
                }
            });
        }
    });
}

impl Results {
    fn note(&mut self, cell: &Cell, result: Result<bool, String>, took: Duration) {
        let scenario = cell.reference.scenario.name;
        let entry = self.cells.entry((scenario, cell.disturbance.theme()));
        let entry = entry.or_default();
        entry.0 += 1;
        entry.1 += took;
        match result {
            Ok(is_met) => self.met += usize::from(is_met),
            Err(wrong) => self.failures.push((cell.name(), wrong)),
        }
    }

    /// Prints them. No run may have failed, and of all runs that many have to meet their fault.
    pub fn expect(&self, least: usize) {
        self.print();
        for (name, _) in &self.failures {
            eprintln!("failed: {name}");
        }
        if let Some((name, wrong)) = self.failures.first() {
            let count = self.failures.len();
            panic!(
                "{count} runs failed; the first:\n{wrong}\nreplay: WHOLE_CELL='{name}' cargo test \
                 -p sim-tests --test whole replay -- --nocapture"
            );
        }
        let met = self.met;
        let least = least_of(least);
        assert!(
            met >= least,
            "only {met} runs met what was to go wrong, {least} are the least"
        );
    }

    fn print(&self) {
        const WIDTH: usize = 18;
        let themes: BTreeSet<&String> = self.cells.keys().map(|(_, theme)| theme).collect();
        let head = themes.iter().map(|theme| format!("{theme:>WIDTH$}"));
        eprintln!("{:<14}{}", "runs, seconds", head.collect::<String>());
        for scenario in SCENARIOS {
            let cells = themes.iter().map(|theme| {
                let key = (scenario.name, (*theme).clone());
                let (runs, took) = self.cells.get(&key).copied().unwrap_or_default();
                let cell = format!("{runs} {:>5.1}s", took.as_secs_f64());
                format!("{cell:>WIDTH$}")
            });
            eprintln!("{:<14}{}", scenario.name, cells.collect::<String>());
        }
        let runs: usize = self.cells.values().map(|(runs, _)| runs).sum();
        let took: Duration = self.cells.values().map(|(_, took)| took).sum();
        let (met, took) = (self.met, took.as_secs_f64());
        eprintln!("{runs} runs in {took:.1} s, {met} of them met what was to go wrong");
    }
}
