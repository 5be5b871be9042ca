//! Tests' own tools: the local cluster's launcher.

pub mod cluster;
