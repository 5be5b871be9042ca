//! Two operators, of which one leads.

mod ended;
mod pair;
mod paused;
mod released;
pub mod writers;
