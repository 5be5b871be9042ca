//! kubectl-grove on a real control plane.

mod lint;
mod tree;
