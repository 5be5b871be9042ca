//! Trouble with the topology of the cluster.

use sim::Rng;
use sim::actors;
use sim::check::Violation;

use super::Run;

impl Run {
    /// All nodes of a domain are drained, one pod after the other, and stay closed until everything
    /// is right elsewhere.
    pub(super) async fn be_drained(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        /// Moves between two evictions: mostly too few for a pod to be replaced.
        const MOVES: usize = 60;
        if !actors::close_domain(&mut self.store, dice) {
            return Ok(());
        }
        self.coverage.saw("domain drained at rest");
        while actors::evict_from_closed(&mut self.store, dice) {
            self.go_on_for(dice.below(MOVES)).await?;
        }
        self.converge().await?;
        self.verdict()?;
        actors::restore_nodes(&mut self.store);
        Ok(())
    }
}
