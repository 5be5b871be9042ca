//! A simulated cluster driven by a seed: an API store that answers as the real API server does, the
//! actors around an operator, and the invariants that its event log has to keep.
//!
//! `tests/sim` adds the operator itself: this crate knows no controller.
#![allow(
    clippy::indexing_slicing,
    reason = "of JSON objects: what is absent reads as null and is inserted when written"
)]

pub mod actors;
pub mod check;
pub mod coverage;
pub mod dynamo;
pub mod expected;
pub mod layout;
pub mod nvlink;
pub mod queue;
pub mod resource;
pub mod rng;
pub mod service;
pub mod sharing;
pub mod store;
pub mod story;
pub mod topology;
pub mod view;

pub use coverage::Coverage;
pub use resource::{Id, RequestPath, Resource};
pub use rng::Rng;
pub use store::{Answer, Call, Store};
