//! Why an object does not run: condition `Ready` of every kind, and its first cause.
//!
//! [`api::conditions::Reason::priority`] defines the order of causes. One trouble of a user (an
//! image that is pulled again and again, a container between two crashes) keeps one reason through
//! all of its phases.

mod cause;
mod clique;
mod container;
mod gang;
mod pod;
mod refusal;
mod settled;
mod start_order;
mod state_input;
mod states;
mod words;

pub use cause::{Cause, first, of_replicas, ready_condition};
pub use clique::{CliqueView, judge_podclique, next_look, shortfall, unsettled};
pub use gang::{Start, find_start, runs};
pub use pod::{
    Setting, explain_unscheduled, find_cause as find_pod_cause, leaving as explain_leaving,
};
pub use refusal::{refusal, refusals};
pub use settled::{SETTLED_AFTER, find_unsettled, hold, next_settled};
pub use states::{ReadinessState, states};
