//! The courses of runs: each has seeds of its own.

use sim::check::Violation;
use sim::store::Record;
use sim::{Coverage, story};

use super::{Run, paused};
use crate::sabotage::Sabotage;

/// A failed seed.
#[derive(Debug)]
pub struct Failure {
    /// The problem.
    pub violation: Violation,
    /// The story of the run.
    pub story: String,
}

/// The course of a run.
#[derive(Clone, Copy)]
enum Course {
    Any,
    Leaving,
    Suspending,
    Queued,
    Restarting,
}

/// Runs a seed and returns its coverage; if it fails, runs it again with its story.
pub fn run(seed: u64, sabotage: Option<Sabotage>, lines: usize) -> Result<Coverage, Failure> {
    Course::Any.run(seed, sabotage, lines)
}

/// The same for a set that is deleted with `--cascade=orphan` and applied again, several times.
pub fn run_leaving(
    seed: u64,
    sabotage: Option<Sabotage>,
    lines: usize,
) -> Result<Coverage, Failure> {
    Course::Leaving.run(seed, sabotage, lines)
}

/// The same for a set that is suspended and resumed, several times.
pub fn run_suspending(
    seed: u64,
    sabotage: Option<Sabotage>,
    lines: usize,
) -> Result<Coverage, Failure> {
    Course::Suspending.run(seed, sabotage, lines)
}

/// The same for a set that names a queue of Kueue.
pub fn run_queued(
    seed: u64,
    sabotage: Option<Sabotage>,
    lines: usize,
) -> Result<Coverage, Failure> {
    Course::Queued.run(seed, sabotage, lines)
}

/// The same for a set of which a user asks for restarts of single replicas, several times.
pub fn run_restarting(
    seed: u64,
    sabotage: Option<Sabotage>,
    lines: usize,
) -> Result<Coverage, Failure> {
    Course::Restarting.run(seed, sabotage, lines)
}

impl Course {
    fn run(self, seed: u64, sabotage: Option<Sabotage>, lines: usize) -> Result<Coverage, Failure> {
        match self.attempt(seed, sabotage, 0) {
            Err(_) if lines > 0 => self.attempt(seed, sabotage, lines),
            result => result,
        }
    }

    fn attempt(
        self,
        seed: u64,
        sabotage: Option<Sabotage>,
        lines: usize,
    ) -> Result<Coverage, Failure> {
        paused().block_on(async {
            let mut run = Run::new(seed, sabotage, lines > 0);
            let result = match self {
                Self::Any => run.all().await,
                Self::Leaving => run.leave_and_return().await,
                Self::Suspending => run.suspend_and_resume().await,
                Self::Queued => run.wait_in_queue(seed).await,
                Self::Restarting => run.restart_replicas().await,
            };
            match result {
                Ok(()) => {
                    run.coverage.read(&run.store);
                    Ok(run.coverage)
                }
                Err(violation) => Err(Failure {
                    violation,
                    story: format!(
                        "{}\n{}",
                        story::tell(&run.store, &run.events, lines),
                        run.state()
                    ),
                }),
            }
        })
    }
}

/// The store's log of the seed.
pub fn log_of(seed: u64) -> Vec<String> {
    paused().block_on(async {
        let mut run = Run::new(seed, None, false);
        let _ = run.all().await;
        let line = |r: &Record| format!("{} {} {} {}", r.time, r.actor, r.id, r.last);
        run.store.log.iter().map(line).collect()
    })
}
