//! Tests of the engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod admin;
mod adoption;
mod apply;
mod backoff;
mod cache;
mod caches;
mod check_answers;
mod connection_error;
mod crds;
mod event_budget;
mod event_recorder;
mod flow;
mod hangs;
mod informer;
mod leader;
mod list_item;
mod metrics;
mod optional;
mod pages;
mod refusals;
mod runner;
mod same;
mod server;
mod status;
mod status_hold;
mod tenants;
mod under_way;
mod unlabelled;
mod unsettled;
mod work_queue;
