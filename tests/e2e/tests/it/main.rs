//! The built operator on a real control plane, driven as a user drives it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod harness;

mod creation;
mod deletion;
mod gangs;
mod names;
mod refusal;
mod scaling;
