//! From single writes of the controllers to steps in plain words.

mod batches;
mod cliques;
mod coherent;
mod collect;
mod fold;
mod limits;
mod others;
mod pods;
mod step;
mod turn_part;
mod whole_turn;

use crate::exit::Failure;
use crate::plan::world::World;
use collect::Collector;

pub use coherent::{PlannedShare, PlannedUpdate, PlannedUpdateStep};
pub use step::{Action, PlannedStep};

/// The actions of the controllers.
pub struct Steps {
    /// All of them, in the order of their beginning.
    pub listed: Vec<PlannedStep>,
    /// Those of a coherent update in their order.
    pub update: Option<PlannedUpdate>,
}

/// The actions of the controllers, by their writes.
pub fn list_steps(world: &World) -> Result<Steps, Failure> {
    let mut collector = Collector::new(world)?;
    // A turn that has begun goes on from these: it may replace units before any status changes.
    for (id, progress) in world.found_progress() {
        collector.note_progress(id, progress);
    }
    for record in world.log() {
        collector.add(record);
    }
    Ok(collector.finish())
}
