//! The launcher, tested with real nodes: as root, on Linux. `make test-node` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

#[path = "../it/checkout.rs"]
mod checkout;
#[path = "../it/processes.rs"]
mod processes;

mod closed;
mod disturbed;
mod kubectl;
mod machine;
mod refused;
mod sealed;
