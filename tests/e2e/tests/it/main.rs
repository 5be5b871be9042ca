//! The built operator on a real control plane, driven as a user drives it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod harness;

mod admission;
mod adoption;
mod alerts;
mod autoscaler;
mod availability;
mod chart;
mod churn;
mod cli;
mod conformance;
mod crash;
mod creation;
mod definitions;
mod deletion;
mod dynamo;
mod events;
mod examples;
mod faults;
mod gangs;
mod hostile;
mod idle;
mod life;
mod names;
mod nvlink;
mod orphans;
mod placement;
mod process;
mod quiet;
mod refusal;
mod repair;
mod rights;
mod round_trip;
mod scaling;
mod schedulers;
mod sharing;
mod start_order;
mod stuck;
mod suspend;
mod termination;
mod training;
mod updates;
mod workflows;
