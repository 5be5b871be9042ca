//! kubectl-grove: see, explain, check and plan a gang from the terminal.
//!
//! ```text
//! args ─▶ run ─▶ cluster: the objects, each read once         files: manifests with line numbers
//!                   │                                            │
//!                   ▼                                            ▼
//!   tree · explain · timeline · logs · history              lint · plan · capacity
//!   undo · restart · pause · unpause · suspend · resume         │
//!   status · bundle                                             │
//!                   └────────────── output: text, JSON, YAML ───┘
//! ```
//!
//! Each command has a pure function from the objects to a value, and one that prints the value.
//! Only `undo`, `restart`, `pause`, `unpause`, `suspend` and `resume` write to a cluster, through `edit`.

pub mod args;
pub mod bundle;
pub mod capacity;
pub mod cluster;
pub mod completion;
pub mod connection;
pub mod edit;
pub mod exit;
pub mod explain;
pub mod files;
pub mod format;
pub mod history;
mod json;
pub mod lint;
pub mod logs;
pub mod man;
pub mod manifest;
pub mod operator_presence;
pub mod output;
pub mod pause;
pub mod plan;
pub mod restart;
pub mod run;
mod schema;
pub mod status;
pub mod suspend;
pub mod timeline;
pub mod tree;
pub mod undo;
pub mod workload;

pub use run::main;
