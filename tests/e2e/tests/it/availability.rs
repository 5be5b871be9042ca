//! Operators that elect a leader: two, one of which leads, and one that is away.

mod away;
mod ended;
mod pair;
mod paused;
mod released;
pub mod writers;
