//! The rows, their list, and the runner.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, which rows are, but not without #[test]"
)]

mod client;
mod judge;
mod namespace;
mod row;
mod runner;
mod seen;
mod sets;
mod site;
mod wait;

mod causes;
mod crash_loops;
mod disruption;
mod gangs;
mod jobs;
mod losses;
mod manifests;
mod names;
mod operators;
mod preemption;
mod program;
mod recording;
mod restricted;
mod rollouts;
mod scaling;
mod start_order;
mod updates;

use std::process::ExitCode;

use row::Row;

/// All rows, in the order of the reviews.
fn rows() -> Vec<Row> {
    [
        crash_loops::rows(),
        causes::rows(),
        jobs::rows(),
        gangs::rows(),
        disruption::rows(),
        start_order::rows(),
        updates::rows(),
        rollouts::rows(),
        scaling::rows(),
        names::rows(),
        program::rows(),
        restricted::rows(),
        recording::rows(),
        manifests::rows(),
        preemption::rows(),
        operators::rows(),
        losses::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn main() -> ExitCode {
    runner::run(rows())
}
