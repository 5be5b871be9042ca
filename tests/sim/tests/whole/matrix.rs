//! Each write of each scenario, with each fault: it ends as if nothing had been.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use strum::IntoEnumIterator;

use crate::fault::{Fault, Signature};
use crate::ring::{Ring, in_paused_time};
use crate::scenarios::SCENARIOS;
use crate::undisturbed::{Reference, WARM_UP, judge_events, judge_slots};

/// Simulated time within which a run ends as it should.
const LIMIT: Duration = Duration::from_mins(5);
/// Runs at least. Fewer: scenarios, their writes or faults have gone missing.
const LEAST_RUNS: usize = 2_300;
/// Of a hundred runs so many have to meet their fault. Not all: how many changes of a status fall
/// together into one write differs from run to run.
const MET: usize = 90;
/// Lines of the story of a failure.
pub const LINES: usize = 120;

/// One run of the matrix.
pub struct Cell<'a> {
    /// What happens.
    pub reference: &'a Reference,
    /// The write that goes wrong.
    pub signature: Signature,
    /// How.
    pub fault: Fault,
}

impl Cell<'_> {
    /// As [`crate::replay`] reads it.
    pub fn name(&self) -> String {
        let scenario = self.reference.scenario.name;
        format!("{scenario}: {}: {}", self.signature, self.fault)
    }

    /// Runs it and says whether the fault was met; `lines` of its story if it fails, or if `tell`
    /// asks for it.
    pub fn run(&self, lines: usize, tell: impl FnOnce(&Ring)) -> Result<bool, String> {
        in_paused_time(async {
            let mut ring = Ring::start(self.reference.begin.clone());
            let result = self.judge(&mut ring).await;
            tell(&ring);
            let is_met = ring.wire.state().plan.is_none();
            let story = |wrong| format!("{}\n{}: {wrong}", ring.story(lines), self.name());
            result.map(|()| is_met).map_err(story)
        })
    }

    async fn judge(&self, ring: &mut Ring) -> Result<(), String> {
        let (scenario, begin) = (self.reference.scenario, &self.reference.begin);
        ring.start_operator();
        ring.pass(WARM_UP).await?;
        ring.wire.begin(Some((self.signature.clone(), self.fault)));
        ring.wire.server.with_store(scenario.step);
        ring.come_to(&self.reference.end, LIMIT).await?;
        // An event that the API server did not take is not told.
        let is_event_refused = self.signature.write.is_of_event() && !self.fault.is_after();
        let least = usize::from(!is_event_refused);
        ring.wire.server.with_store(|store| {
            judge_slots(scenario, store, begin.store.log.len())?;
            judge_events(scenario, store, least)
        })
    }
}

/// How often and for how long, by scenario and fault.
#[derive(Default)]
struct Table(BTreeMap<(&'static str, Fault), (usize, Duration)>);

impl Table {
    fn note(&mut self, cell: &Cell<'_>, took: Duration) {
        let key = (cell.reference.scenario.name, cell.fault);
        let entry = self.0.entry(key).or_default();
        entry.0 += 1;
        entry.1 += took;
    }

    fn print(&self) {
        let faults: Vec<String> = Fault::iter().map(|fault| format!("{fault:>14}")).collect();
        eprintln!("{:<14}{}", "runs, seconds", faults.concat());
        for scenario in SCENARIOS {
            let cells = Fault::iter().map(|fault| {
                let (runs, took) = self
                    .0
                    .get(&(scenario.name, fault))
                    .copied()
                    .unwrap_or_default();
                format!("{:>8} {:>4.1}s", runs, took.as_secs_f64())
            });
            eprintln!("{:<14}{}", scenario.name, cells.collect::<String>());
        }
    }
}

/// Runs all of them, some at once.
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

#[test]
fn whatever_goes_wrong_with_a_write_it_ends_as_if_nothing_had() {
    let references = SCENARIOS.map(Reference::of);
    let cells: Vec<Cell<'_>> = references.iter().flat_map(cells_of).collect();
    let (table, met) = (Mutex::new(Table::default()), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    each(&cells, |cell| {
        let began = Instant::now();
        match cell.run(LINES, |_| ()) {
            Ok(is_met) => met.fetch_add(usize::from(is_met), Ordering::SeqCst),
            Err(wrong) => {
                failures.lock().unwrap().push((cell.name(), wrong));
                1
            }
        };
        table.lock().unwrap().note(cell, began.elapsed());
    });
    table.into_inner().unwrap().print();
    let (runs, met) = (cells.len(), met.into_inner());
    eprintln!("{met} of {runs} runs met their fault");
    expect_none(&failures.into_inner().unwrap());
    assert!(runs >= LEAST_RUNS, "only {runs} runs");
    assert!(
        met * 100 >= runs * MET,
        "only {met} of {runs} runs met their fault"
    );
}

fn cells_of(reference: &Reference) -> impl Iterator<Item = Cell<'_>> {
    reference.writes.iter().flat_map(move |signature| {
        Fault::iter().map(move |fault| Cell {
            reference,
            signature: signature.clone(),
            fault,
        })
    })
}

fn expect_none(failures: &[(String, String)]) {
    for (name, _) in failures {
        eprintln!("failed: {name}");
    }
    if let Some((name, wrong)) = failures.first() {
        let count = failures.len();
        panic!(
            "{count} runs failed; the first:\n{wrong}\nreplay: WHOLE_CELL='{name}' cargo test -p sim-tests --test whole replay -- --nocapture"
        );
    }
}
