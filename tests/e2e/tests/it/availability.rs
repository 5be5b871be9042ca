//! Two operators, one of which leads.

mod ended;
mod pair;
mod paused;
mod released;
pub mod writers;
