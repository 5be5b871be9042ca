//! Tests' own tools: objects to test with, and the local cluster's launcher.

pub mod builders;
pub mod cluster;
pub mod sim;
