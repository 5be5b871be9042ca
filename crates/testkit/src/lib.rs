//! Objects to test with.

pub mod builders;
