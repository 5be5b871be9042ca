//! kubectl-grove on a real control plane.

mod bundle;
mod completion;
mod errors;
mod explain;
mod timeline;
mod capacity;
mod plan;
mod tree;
