//! The contract: definitions, names, durations, conditions, and lossless manifests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod causes;
mod conditions;
mod definitions;
mod descriptions;
mod durations;
mod events;
mod limits;
mod names;
mod round_trip;
mod sample;
mod state_metrics;
