//! The rules that refuse a set, with their messages.
//!
//! The rules run in the admission webhook on an object with defaults applied. Nothing here assumes
//! that the webhook or the API server's schema did its part before: stored objects may be anything.
//! Of other objects only topologies are looked at, where they are known ([`Rules`]); rules that need
//! others (scheduler queues) or the unparsed request are not here.
//!
//! One file per subject, each with a function `check`. [`validate`] calls the rules of one set;
//! [`validate_update`] also compares two versions of a set.
//!
//! Source, unless a rule says otherwise: Grove, `internal/webhook/admission/pcs/validation`.

mod autoscaling;
mod circle;
mod claim_conflicts;
mod claim_names;
mod claim_namespaces;
mod claim_users;
mod claims;
mod cliques;
pub(crate) mod coherent;
mod collisions;
mod create;
mod fixed_minimum;
mod immutable;
mod metadata;
mod metrics;
mod names;
mod nvlink;
mod options;
mod pods;
mod queue;
mod ratchet;
mod restart_request;
mod rolling_update;
mod scaling_groups;
mod start_order;
mod termination;
mod topology;
mod topology_binding;
mod training;
mod update;

pub(crate) use create::within_limits;
pub use create::{invalid_delays, validate};
pub(crate) use fixed_minimum::offer_no_lower_minimum;
pub use options::Rules;
pub(crate) use pods::scheduler_name;
pub(crate) use queue::queue_of;
pub(crate) use topology::constraints;
pub use topology_binding::validate_binding;
pub(crate) use update::is_same;
pub use update::validate_update;
