//! Objects to test with.

pub mod admission_cases;
pub mod builders;
pub mod definition_rules;
pub mod good_set;
pub mod recorded;
pub mod recordings;
