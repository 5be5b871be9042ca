//! Tests of the webhook.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod answers;
mod api_server;
mod keep;
mod made_up;
mod pairs;
mod parents;
mod patch;
mod plan;
mod questions;
mod review;
mod rivals;
mod rotation;
mod server;
mod validity;
