//! Tests of the pure rules, one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod availability;
mod breach_age;
mod check_answer;
mod claims;
mod crash_episodes;
mod culprit;
mod fence;
mod gang_quota;
mod gang_tree;
mod guarded_patch;
mod hash;
mod indices;
mod job;
mod kubelet_states;
mod layout;
mod nvlink;
mod old_names;
mod packed_text;
mod placement;
mod pod_requests;
mod quantity;
mod quota;
mod readiness;
mod restart_request;
mod revision;
mod roster;
mod scheduling;
mod sharing;
mod stalled;
mod start_order;
mod suspension;
mod termination;
mod topology;
mod update;
