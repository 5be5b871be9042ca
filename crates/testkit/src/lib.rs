//! Objects to test with.

pub mod builders;
pub mod good_set;
