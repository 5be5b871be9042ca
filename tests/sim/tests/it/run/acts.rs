//! What happens once all is right: trouble that takes a cluster at rest to have its full effect.

use testkit::sim::check::Violation;
use testkit::sim::{Rng, actors};
use tokio::time::Instant;

use super::Run;

impl Run {
    /// One more thing goes wrong, and again all has to be right in the end.
    pub(super) async fn second_act(&mut self) -> Result<(), Violation> {
        let mut dice = self.rng.fork();
        match dice.below(3) {
            0 => {
                self.are_nodes_dead = true;
                actors::lose_node(&mut self.store, &mut dice);
                self.converge().await?;
                self.are_nodes_dead = false;
            }
            1 => actors::break_for_good(&mut self.store, &mut dice),
            _ => self.recover_late(&mut dice).await?,
        }
        self.converge().await?;
        self.verdict()
    }

    /// Pods that break are mended at the last moment, and nobody is told before the time is over.
    async fn recover_late(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        const MOVES: usize = 50;
        actors::break_for_good(&mut self.store, dice);
        while self.calm_step().await? {}
        actors::heal(&mut self.store);
        for _ in 0..MOVES {
            actors::run_pods(&mut self.store, dice);
        }
        if let Some(at) = self.operator.next_timer() {
            self.wait(at - Instant::now()).await;
        }
        Ok(())
    }
}
