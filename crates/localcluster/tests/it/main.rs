//! The launcher, tested with real control planes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod checkout;
mod private;
mod processes;
mod standing;
