//! Tests of the rules of scaling groups.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod bounds;
mod children;
mod claims;
mod deletion;
mod fence;
mod minimums;
mod orphans;
mod recorded;
mod recovery;
mod situation;
mod status;
mod termination;
mod update;
