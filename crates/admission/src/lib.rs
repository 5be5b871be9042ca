//! What is made of a stored or sent PodCliqueSet before any rule of a reconciler reads it, and what
//! is refused. Pure: used by controllers and by whatever else checks a set.
//!
//! ```text
//! defaults ─▶ oversize ─▶ rules ─▶ unimplemented     what `validate_set` calls, in this order
//!                                     minimums        what exists keeps its minimums
//! field, places                                       where something is wrong, and its words
//! ```

pub mod authorizer;
pub mod defaults;
mod field;
pub mod minimums;
pub mod oversize;
mod places;
mod rules;
pub mod unimplemented;
pub mod validated_set;

pub use field::FieldError;
pub use rules::{Rules, invalid_delays, validate, validate_update};
