//! Why an object does not run: condition `Ready` of every kind, and its first cause.
//!
//! [`api::conditions::Reason::priority`] defines the order of causes. One trouble of a user (an
//! image that is pulled again and again, a container between two crashes) keeps one reason through
//! all of its phases.

mod cause;
mod clique;
mod compute_domain;
mod container;
mod gang;
mod hold;
mod no_domain;
mod pod;
mod pull_failure;
mod refusal;
mod scheduler;
mod settled;
mod start_order;
mod state_input;
mod states;
mod words;

pub use cause::{Cause, first, of_replicas, ready_condition};
pub use clique::{CliqueView, judge_podclique, next_look, shortfall, unsettled};
pub use compute_domain::explain_domain;
pub use gang::{Start, find_start, no_domain_of, runs};
pub use hold::{Hold, contradiction_of};
pub use no_domain::{Best, NoDomain};
pub use pod::{Setting, find_cause as find_pod_cause, leaving as explain_leaving};
pub use refusal::{refusal, refusal_of_check, refusal_of_write, refusals};
pub use scheduler::{
    explain_unscheduled, find_no_domain, has_no_room_at_pin, is_of_scheduler, is_refused,
};
pub use settled::{SETTLED_AFTER, find_unsettled, hold, next_settled};
pub use states::{ReadinessState, states};
