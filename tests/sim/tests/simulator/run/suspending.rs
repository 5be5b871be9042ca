//! A set that is suspended and resumed, again and again: while there is trouble, and at rest.

use sim::actors;
use sim::check::Violation;

use super::{Run, TROUBLED};

/// In this many of a thousand troubled steps a user suspends or resumes a set.
const OFTEN: usize = 40;
/// Suspensions at rest.
const LIVES: usize = 3;
/// More than a suspension takes.
const MOVES: usize = 200;

impl Run {
    pub(super) async fn suspend_and_resume(&mut self) -> Result<(), Violation> {
        let mut dice = self.rng.fork();
        for _ in 0..TROUBLED {
            if dice.chance(OFTEN) {
                actors::act_with_suspensions(&self.user, &mut self.store, &mut dice);
                self.coverage.saw("suspended in trouble");
            }
            self.troubled_step().await?;
        }
        actors::resume_all(&mut self.store);
        self.calm_down();
        self.converge().await?;
        self.verdict()?;
        for _ in 0..LIVES {
            if !actors::suspend_all(&mut self.store) {
                break;
            }
            if dice.chance(500) {
                self.converge().await?;
                self.verdict()?;
                self.coverage.saw("suspended at rest");
            } else {
                self.go_on_for(dice.below(MOVES)).await?;
            }
            actors::resume_all(&mut self.store);
            self.converge().await?;
            self.verdict()?;
        }
        self.stay_quiet().await
    }
}
