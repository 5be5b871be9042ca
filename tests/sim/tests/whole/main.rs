//! The whole operator in a simulated cluster: the real `operator::run` with its watches, queues,
//! requests and timers, under paused time, against the simulated API server.
//!
//! Each run of a scenario meets one fault and has to end like the run without a fault.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod cell;
mod claimed;
mod cluster;
mod counts;
mod course;
mod disturbance;
mod domains;
mod fault;
mod handover;
mod left;
mod link;
mod matrix;
mod mutant;
mod mutants;
mod normal;
mod operators;
mod queued;
mod replay;
mod results;
mod ring;
mod rollouts;
mod room;
mod scenarios;
mod served;
mod share;
mod slots;
mod stopped;
mod switches;
mod trouble;
mod twins;
mod undisturbed;
mod unread;
mod watches;
mod wire;

/// A simulated cluster consists of small objects with short lives.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
