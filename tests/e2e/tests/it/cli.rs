//! kubectl-grove on a real control plane.

mod tree;
