//! kubectl-grove: its rules, and its requests to an API server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod bundle;
mod capacity;
mod completion;
mod definitions;
mod documented;
mod explain;
mod failures;
mod files;
mod history;
mod legible;
mod lint;
mod logs;
mod man;
mod manifest;
mod named;
mod operator_presence;
mod owners;
mod plan;
mod read;
mod redact;
mod related;
mod requests;
mod restart;
mod server;
mod stalled_update;
mod status;
mod suspend;
mod timeline;
mod tree;
mod undo;
mod width;
