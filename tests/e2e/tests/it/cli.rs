//! kubectl-grove on a real control plane.

mod bundle;
mod capacity;
mod completion;
mod errors;
mod explain;
mod follow;
mod lint;
mod logs;
mod operate;
pub mod plan;
mod suspend;
mod timeline;
mod tree;
