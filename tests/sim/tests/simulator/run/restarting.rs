//! A set of which a user asks for restarts of single replicas: while there is trouble, and at rest.

use sim::actors;
use sim::check::Violation;

use super::{Run, TROUBLED};

/// In this many of a thousand troubled steps a user asks for a restart.
const OFTEN: usize = 40;
/// Restarts after the trouble.
const LIVES: usize = 3;
/// More than a restart takes.
const MOVES: usize = 200;

impl Run {
    pub(super) async fn restart_replicas(&mut self) -> Result<(), Violation> {
        let mut dice = self.rng.fork();
        for _ in 0..TROUBLED {
            if dice.chance(OFTEN) && actors::ask_for_restart(&mut self.store, &mut dice) {
                self.coverage.saw("restart asked for in trouble");
            }
            self.troubled_step().await?;
        }
        self.calm_down();
        self.converge().await?;
        self.verdict()?;
        for _ in 0..LIVES {
            if !actors::ask_for_restart(&mut self.store, &mut dice) {
                break;
            }
            self.coverage.saw("restart asked for at rest");
            if dice.chance(500) {
                // Another one, before or after the first is answered.
                self.go_on_for(dice.below(MOVES)).await?;
                actors::ask_for_restart(&mut self.store, &mut dice);
            }
            self.converge().await?;
            self.verdict()?;
        }
        self.stay_quiet().await
    }
}
