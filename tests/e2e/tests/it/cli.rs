//! kubectl-grove on a real control plane.

mod explain;
mod timeline;
mod tree;
