//! kubectl-grove on a real control plane.

mod bundle;
mod capacity;
mod completion;
mod errors;
mod explain;
mod lint;
mod operate;
pub mod plan;
mod timeline;
mod tree;
