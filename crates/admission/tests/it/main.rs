//! Tests of the defaults of a set and of the refusals, one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod admission_cases;
mod authorizer;
mod cases;
mod claims;
mod defaults;
mod durations;
mod fuzz;
mod hostile;
mod judge;
mod metrics;
mod minimums;
mod names;
mod nvlink;
mod oversize;
mod properties;
mod queues;
mod scale_lock;
mod scaling;
mod topology;
mod topology_binding;
mod unknown_fields;
mod update;
mod update_strategies;
mod validated_set;
mod validation;
mod validator;
mod waits_of_updates;
mod warnings;
