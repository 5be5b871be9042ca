//! From single writes of the controllers to steps in plain words.

mod cliques;
mod collect;
mod fold;
mod limits;
mod others;
mod pods;
mod step;

use crate::exit::Failure;
use crate::plan::world::World;
use collect::Collector;

pub use step::{Action, PlannedStep};

/// The actions of the controllers, in the order of their beginning.
pub fn list_steps(world: &World) -> Result<Vec<PlannedStep>, Failure> {
    let mut collector = Collector::new(world)?;
    for record in world.log() {
        collector.add(record);
    }
    Ok(collector.finish())
}
