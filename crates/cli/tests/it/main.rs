//! kubectl-grove: its rules, and what it asks of an API server.
//! Tests of kubectl-grove, one binary.
//! kubectl-grove without a cluster: from what was read to what is said.
//! kubectl-grove without a cluster.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod bundle;
mod completion;
mod documented;
mod failures;
mod man;
mod redact;
mod related;
mod requests;
mod server;
mod explain;
mod read;
mod timeline;
mod capacity;
mod files;
mod lint;
mod manifest;
mod plan;
mod pod_requests;
