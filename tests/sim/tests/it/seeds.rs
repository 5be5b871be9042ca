//! Many seeds.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::run::run;

const THREADS: usize = 2;
const LINES: usize = 60;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Every seed keeps all invariants and ends in the desired state.
#[test]
fn seeds() {
    let count = variable("SIM_SEEDS").unwrap_or(1000);
    let first = variable("SIM_FIRST").unwrap_or(1);
    let next = AtomicU64::new(first);
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + count {
                        return;
                    }
                    if let Err(failure) = run(seed, None, LINES) {
                        failures.lock().unwrap().push((seed, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(seed, _)| *seed);
    for (seed, failure) in failures.iter().skip(1) {
        eprintln!("seed {seed}: {}", failure.violation);
    }
    if let Some((seed, failure)) = failures.first() {
        panic!(
            "{} of {count} seeds failed; seed {seed}: {}\n{}\nreplay: SIM_SEED={seed} cargo test -p sim replay -- --nocapture",
            failures.len(),
            failure.violation,
            failure.story,
        );
    }
}

/// Runs one seed again and tells its whole story.
#[test]
fn replay() {
    let Some(seed) = variable("SIM_SEED") else {
        return;
    };
    let lines = variable("SIM_LINES").unwrap_or(1_000_000);
    if let Err(failure) = run(seed, None, usize::try_from(lines).unwrap()) {
        panic!("seed {seed}: {}\n{}", failure.violation, failure.story);
    }
}
