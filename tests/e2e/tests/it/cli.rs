//! kubectl-grove on a real control plane.

mod plan;
mod tree;
