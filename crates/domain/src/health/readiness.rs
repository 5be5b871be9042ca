//! Why something does not run: condition `Ready` of every kind, and the first cause behind it.
//!
//! In which order causes are told says [`api::conditions::Reason::priority`]. What is one trouble
//! for a user (an image that is pulled again and again, a container between two crashes) is one
//! reason through all of its phases.

mod cause;
mod clique;
mod container;
mod gang;
mod pod;
mod refusal;
mod scheduler;
mod start_order;

pub use cause::{Cause, first, of_replicas, ready_condition};
pub use clique::{CliqueView, judge_podclique, shortfall};
pub use gang::{Start, find_start, runs};
pub use pod::{find_cause as find_pod_cause, leaving as explain_leaving};
pub use refusal::{refusal, refusals};
