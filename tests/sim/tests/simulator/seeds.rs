//! Many seeds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sim::Coverage;

use crate::coverage::expect_enough;
use crate::run::{Failure, log_of, run, run_leaving, run_queued, run_restarting, run_suspending};

const THREADS: usize = 2;
const LINES: usize = 60;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs that many seeds; returns their coverage if all pass.
fn run_all(count: u64, run: fn(u64) -> Result<Coverage, Failure>) -> Coverage {
    let first = variable("SIM_FIRST").unwrap_or(1);
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let coverage = Mutex::new(Coverage::default());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + count {
                        return;
                    }
                    match run(seed) {
                        Ok(met) => coverage.lock().unwrap().add(&met),
                        Err(failure) => {
                            eprintln!("seed {seed}: {}", failure.violation);
                            failures.lock().unwrap().push((seed, failure));
                        }
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(seed, _)| *seed);
    if let Some((seed, failure)) = failures.first() {
        panic!(
            "{} of {count} seeds failed; seed {seed}: {}\n{}\nreplay: SIM_SEED={seed} cargo test -p sim-tests replay -- --nocapture",
            failures.len(),
            failure.violation,
            failure.story,
        );
    }
    coverage.into_inner().unwrap()
}

/// Every seed keeps all invariants and ends in the desired state.
#[test]
fn seeds() {
    let count = variable("SIM_SEEDS").unwrap_or(1000);
    expect_enough(&run_all(count, |seed| run(seed, None, LINES)), count);
}

/// Objects that `--cascade=orphan` left to the user are never deleted, however late requests land,
/// and an ordinary deletion leaves nothing (decision 126). Replay with `SIM_LEAVING` set.
#[test]
fn what_is_left_to_the_user_stays() {
    let count = variable("SIM_SEEDS").unwrap_or(100);
    let met = run_all(count, |seed| run_leaving(seed, None, LINES));
    for what in ["children orphaned", "held up", "landed late", "crash"] {
        assert!(met.of(what) >= count, "{what}: {}", met.of(what));
    }
}

/// A set that is suspended and resumed loses nothing else, and a job of it fails for no reason of its own
/// (decision 173). Replay with `SIM_SUSPENDING` set.
#[test]
fn what_is_suspended_starts_as_a_whole() {
    let count = variable("SIM_SEEDS").unwrap_or(100);
    let met = run_all(count, |seed| run_suspending(seed, None, LINES));
    for what in ["suspended in trouble", "suspended at rest", "crash"] {
        assert!(met.of(what) >= count / 2, "{what}: {}", met.of(what));
    }
}

/// A restart that a user asks for happens once, to that replica, whatever else happens (decision 182).
/// Replay with `SIM_RESTARTING` set.
#[test]
fn a_replica_is_restarted_once_for_each_request() {
    let count = variable("SIM_SEEDS").unwrap_or(100);
    let met = run_all(count, |seed| run_restarting(seed, None, LINES));
    for what in [
        "restart asked for in trouble",
        "restart asked for at rest",
        "replica restarted on demand",
        "crash",
    ] {
        assert!(met.of(what) >= count / 4, "{what}: {}", met.of(what));
    }
}

/// Pods of a set in a queue run with quota only, nothing is given back that they use, and with enough quota
/// all of them run again (decision 177). Replay with `SIM_QUEUED` set.
#[test]
fn what_is_queued_runs_with_quota() {
    let count = variable("SIM_SEEDS").unwrap_or(100);
    let met = run_all(count, |seed| run_queued(seed, None, LINES));
    for (what, number) in met.all().filter(|(what, _)| what.contains("quota")) {
        eprintln!("{number:8} {what}");
    }
    for what in [
        "quota reserved",
        "quota evicted",
        "evicted quota returned",
        "quota evicted at rest",
        "pod started in a later round of quota",
        "crash",
    ] {
        assert!(met.of(what) >= count / 2, "{what}: {}", met.of(what));
    }
    for what in [
        "quota reserved for added pods",
        "quota reserved for a part",
        "quota of single pods returned",
        "quota returned with its Workload",
        "queue before a scheduler that waits for gates",
    ] {
        assert!(met.of(what) >= count / 20, "{what}: {}", met.of(what));
    }
}

/// A failing seed can be replayed: a run depends on nothing but its seed.
#[test]
fn a_seed_does_the_same_each_time() {
    for seed in 1..=20 {
        let (first, second) = (log_of(seed), log_of(seed));
        let difference = first.iter().zip(&second).position(|(a, b)| a != b);
        let at = difference.map(|at| (&first[at], &second[at]));
        assert_eq!(at, None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
    }
}

/// Runs one seed again and prints its trace.
#[test]
fn replay() {
    let Some(seed) = variable("SIM_SEED") else {
        return;
    };
    let lines = variable("SIM_LINES").unwrap_or(1_000_000);
    let lines = usize::try_from(lines).unwrap();
    let courses = [
        "SIM_LEAVING",
        "SIM_SUSPENDING",
        "SIM_QUEUED",
        "SIM_RESTARTING",
    ];
    let run = match courses.map(|name| std::env::var_os(name).is_some()) {
        [true, ..] => run_leaving,
        [_, true, ..] => run_suspending,
        [_, _, true, _] => run_queued,
        [.., true] => run_restarting,
        _ => run,
    };
    if let Err(failure) = run(seed, None, lines) {
        panic!("seed {seed}: {}\n{}", failure.violation, failure.story);
    }
}
