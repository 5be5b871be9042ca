//! Tests of the engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod admin;
mod apply;
mod backoff;
mod cache;
mod controller;
mod definitions;
mod events;
mod flow;
mod hangs;
mod hub;
mod metrics;
mod queue;
mod refusals;
mod routes;
mod server;
mod status;
mod strays;
mod unsettled;
mod world;
