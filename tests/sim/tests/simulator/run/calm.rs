//! Steps without trouble, until everything is right.

use std::time::Duration;

use sim::check::{Violation, in_time};
use sim::store::Stored;
use sim::{Id, Resource, actors, expected, view};
use tokio::time::Instant;

use super::Run;

/// Steps that this may take. Pods that crash before they settle may have their gang terminated many
/// times (seed 691), so only the simulated time is a tight bound.
const CALM: usize = 20_000;
/// Simulated time within which everything has to become right.
const PATIENCE: Duration = Duration::from_mins(30);
/// Simulated time for which everything has to stay the same.
const QUIET: Duration = Duration::from_mins(10);

impl Run {
    /// All trouble ends.
    pub(super) fn calm_down(&mut self) {
        self.is_calm = true;
        self.is_quota_used_up = false;
        self.are_nodes_dead = false;
        self.operator.views.release();
        actors::leave(&mut self.store);
        actors::heal(&mut self.store);
        if self.has_topology {
            actors::restore_nodes(&mut self.store);
        }
        self.apply_again();
        self.capacity = usize::MAX;
    }

    /// Users restore a removed owner reference in the end.
    fn apply_again(&mut self) {
        let is_loose = |(id, o): (&Id, &Stored)| {
            let is_child = id.resource != Resource::PodCliqueSet && !id.resource.is_of_cluster();
            is_child && view::owner(o).is_none()
        };
        if self.store.objects().any(is_loose) {
            self.user.create(&mut self.store);
        }
    }

    /// Continues without faults until nothing is left to do, and for a while longer: every few
    /// seconds the engine looks for objects to read live.
    pub(super) async fn converge(&mut self) -> Result<(), Violation> {
        const A_WHILE: Duration = Duration::from_secs(40);
        let end = Instant::now() + PATIENCE;
        let began = self.store.now;
        let mut quiet = 0;
        for _ in 0..CALM {
            self.settle().await;
            if self.calm_step().await? {
                self.check()?;
                quiet = 0;
                continue;
            }
            in_time(&self.store, began)?;
            let now = Instant::now();
            let timer = self.next_timer().map(|at| at - now);
            if now >= end || (quiet >= 2 && timer.is_none()) {
                return Ok(());
            }
            quiet += 1;
            self.wait(timer.unwrap_or(A_WHILE).min(A_WHILE)).await;
        }
        Err(Violation {
            invariant: "I31",
            message: "it never comes to rest".to_owned(),
        })
    }

    /// I31: at rest nothing is changed, nor read.
    pub(super) async fn stay_quiet(&mut self) -> Result<(), Violation> {
        let requests = self.requests;
        let end = Instant::now() + QUIET;
        while Instant::now() < end {
            self.settle().await;
            if !self.calm_step().await? {
                let timer = self.next_timer().map(|at| at - Instant::now());
                self.wait(timer.unwrap_or(QUIET).min(QUIET)).await;
            }
        }
        if self.requests == requests {
            return Ok(());
        }
        Err(Violation {
            invariant: "I31",
            message: format!("{} requests at rest", self.requests - requests),
        })
    }

    /// Whether there was anything to do.
    pub(super) async fn calm_step(&mut self) -> Result<bool, Violation> {
        if self.land_one().await? {
            return Ok(true);
        }
        let can_start = !self.operator.ready().is_empty();
        let can_answer = !self.lot.lock().unwrap().is_empty();
        let can_see = !self.operator.views.behind(&self.store).is_empty();
        let can_read = !self.operator.expired().is_empty();
        let first = self.rng.below(5);
        for turn in 0..5 {
            match (first + turn) % 5 {
                0 if can_start => self.start_one().await,
                1 if can_answer => self.answer_one().await?,
                2 if can_see => self.see_one()?,
                3 if can_read => self.read_one().await,
                4 if self.cluster() => {}
                _ => continue,
            }
            return Ok(true);
        }
        Ok(false)
    }

    pub(super) fn verdict(&self) -> Result<(), Violation> {
        let problems = expected::problems(&self.store);
        if problems.is_empty() {
            return Ok(());
        }
        Err(Violation {
            invariant: "ESR",
            message: problems.join("; "),
        })
    }
}
