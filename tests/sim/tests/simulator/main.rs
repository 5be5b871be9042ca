//! The operator's real engine and rules in a simulated cluster.
//!
//! `SIM_SEEDS=10000 cargo test -p sim-tests` runs more than 1,000 seeds; a failing one prints how to replay it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod canaries;
mod checks;
mod coverage;
mod dynamo;
mod job_checks;
mod operator;
mod recordings;
mod rules;
mod run;
mod sabotage;
mod seeds;
mod service;
mod shown;
mod start_checks;
mod views;
mod wakes;

/// A simulated cluster consists of small objects with short lives.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
