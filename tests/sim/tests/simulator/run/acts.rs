//! Second acts: trouble that needs a cluster at rest to have its full effect.

use std::time::Duration;

use sim::actors::{self, Playing};
use sim::check::Violation;
use sim::{Resource, Rng};
use tokio::time::Instant;

use super::Run;

impl Run {
    /// One more trouble, after which everything has to become right again.
    pub(super) async fn second_act(&mut self) -> Result<(), Violation> {
        let mut dice = self.rng.fork();
        if self.has_topology {
            self.be_drained(&mut dice).await?;
        }
        let acts = if self.places_gangs { 7 } else { 4 };
        match dice.below(acts) {
            4.. => self.be_preempted(&mut dice).await?,
            0 => {
                self.are_nodes_dead = true;
                actors::lose_node(&mut self.store, &mut dice);
                self.converge().await?;
                self.are_nodes_dead = false;
            }
            1 => actors::break_for_good(&mut self.store, &mut dice),
            2 => self.stay_idle(&mut dice).await?,
            _ => self.recover_late(&mut dice).await?,
        }
        self.converge().await?;
        self.verdict()
    }

    /// Users update sets that keep older pods, or go in steps, and units of them are lost, during the
    /// update and at rest. Then the partitions are lowered, and all of it becomes new.
    pub(super) async fn last_act(&mut self) -> Result<(), Violation> {
        /// Fewer than an update takes.
        const MOVES: usize = 200;
        let mut dice = self.rng.fork();
        if !actors::roll_out(&mut self.store, &mut dice) {
            return Ok(());
        }
        for _ in 0..2 {
            self.go_on_for(dice.below(MOVES)).await?;
            actors::lose_unit(&mut self.store, &mut dice);
        }
        self.converge().await?;
        self.verdict()?;
        actors::lose_unit(&mut self.store, &mut dice);
        self.converge().await?;
        self.verdict()?;
        if actors::lower_partitions(&mut self.store) {
            self.converge().await?;
            self.verdict()?;
        }
        Ok(())
    }

    /// In some seeds users write a template whose pods are refused, when all else is over. Nothing is
    /// updated until they are accepted.
    pub(super) async fn be_refused(&mut self) -> Result<(), Violation> {
        /// In this many of a thousand seeds.
        const SEEDS: usize = 200;
        /// More than an update takes until it changes a PodClique.
        const MOVES: usize = 300;
        let mut dice = self.rng.fork();
        let is_chosen = dice.chance(SEEDS);
        if !is_chosen || !actors::write_refused(&mut self.store, &mut dice) {
            return Ok(());
        }
        self.coverage.saw("template refused at rest");
        self.go_on_for(MOVES).await?;
        self.store.refused.clear();
        self.converge().await?;
        self.verdict()
    }

    /// One gang loses its nodes to other pods for a while: it waits as a whole.
    async fn be_preempted(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        let before = actors::placed(&self.store);
        let taken = actors::preempt_gang(&mut self.store, dice);
        if taken > 0 {
            self.coverage.saw("gang preempted at rest");
        }
        self.be_short_of_nodes(before.saturating_sub(taken)).await
    }

    /// For a while there is room for no more pods than these.
    async fn be_short_of_nodes(&mut self, capacity: usize) -> Result<(), Violation> {
        const AWAY: Duration = Duration::from_secs(90);
        self.capacity = capacity;
        self.go_on_until(Instant::now() + AWAY).await?;
        self.check()?;
        self.capacity = usize::MAX;
        Ok(())
    }

    /// A part that is scaled down changes nothing else. It is scaled up again, in every other seed
    /// without enough room at first, and in some seeds before it is down.
    async fn stay_idle(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        /// About the number that a scale-down takes.
        const MOVES: usize = 120;
        actors::scale_down(&mut self.store, dice);
        // Forked in this order: the first number of a fork also decides about the room.
        let mut own = dice.clone().fork();
        let moves = own.below(MOVES);
        if own.chance(500) {
            self.go_on_for(moves).await?;
        } else {
            self.converge().await?;
            self.verdict()?;
        }
        let placed = actors::placed(&self.store);
        actors::scale_up(&mut self.store, dice);
        if dice.clone().fork().chance(500) {
            self.be_short_of_nodes(placed).await?;
        }
        Ok(())
    }

    /// Broken pods become Ready again just before their gang is terminated. The pod watch shows it;
    /// the stored status of the PodClique is still breached when the time is over.
    async fn recover_late(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        const MOVES: usize = 50;
        /// Stored times are whole seconds.
        const A_SECOND: Duration = Duration::from_millis(1100);
        let Some(delay) = self.user.termination_delay() else {
            return Ok(());
        };
        let due = Instant::now() + delay;
        actors::break_for_good(&mut self.store, dice);
        self.go_on_until(due - A_SECOND.min(delay)).await?;
        actors::heal(&mut self.store);
        for _ in 0..MOVES {
            actors::run_pods(&mut self.store, dice, Playing::WhatSettles);
        }
        self.wait(due.saturating_duration_since(Instant::now()))
            .await;
        while self
            .operator
            .views
            .behind(&self.store)
            .contains(&Resource::Pod)
        {
            self.operator.see(Resource::Pod, &self.store);
        }
        self.start_sets().await;
        self.check()
    }

    /// Runs that many moves, if there are so many.
    pub(super) async fn go_on_for(&mut self, moves: usize) -> Result<(), Violation> {
        for _ in 0..moves {
            self.settle().await;
            if !self.calm_step().await? {
                break;
            }
        }
        self.check()
    }

    async fn go_on_until(&mut self, end: Instant) -> Result<(), Violation> {
        loop {
            self.settle().await;
            if self.calm_step().await? {
                continue;
            }
            let now = Instant::now();
            if now >= end {
                return Ok(());
            }
            let next = self.next_timer().map_or(end, |at| at.min(end));
            self.wait(next.saturating_duration_since(now)).await;
        }
    }

    /// Sets are decided before anything else.
    async fn start_sets(&mut self) {
        for job in self.operator.ready().into_iter().filter(|job| job.0 == 0) {
            self.note(|| format!("reconcile {job:?}"));
            self.operator.reconcile(job, &self.store);
        }
        self.settle().await;
    }
}
