//! kubectl-grove: see, explain, check and plan a gang from the terminal.
//!
//! ```text
//! args ─▶ run ─▶ cluster: the objects, each read once         files: manifests with line numbers
//!                   │                                            │
//!                   ▼                                            ▼
//!   tree · explain · timeline · history · undo · bundle    lint · plan · capacity
//!                   └────────────── output: text, JSON, YAML ────┘
//! ```
//!
//! Each command has a pure function from the objects to a value, and one that prints the value.
//! Only `undo` writes to a cluster.

pub mod args;
pub mod bundle;
pub mod capacity;
pub mod cluster;
pub mod completion;
pub mod connection;
pub mod exit;
pub mod explain;
pub mod files;
pub mod format;
pub mod history;
mod json;
pub mod lint;
pub mod man;
pub mod manifest;
pub mod output;
pub mod plan;
pub mod pod_requests;
pub mod quantity_text;
pub mod run;
mod schema;
pub mod timeline;
pub mod tree;
pub mod undo;
pub mod workload;

pub use run::main;
