//! kubectl-grove on a real control plane.

mod capacity;
mod tree;
