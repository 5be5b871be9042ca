//! Objects to test with.

pub mod admission_cases;
pub mod builders;
pub mod definition_rules;
pub mod good_set;
pub mod recorded;
#[expect(clippy::panic, reason = "a test without its data cannot go on")]
pub mod recordings;
