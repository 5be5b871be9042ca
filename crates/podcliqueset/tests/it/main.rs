//! Tests of the rules of PodCliqueSets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod autoscalers;
mod bounds;
mod check;
mod children;
mod claims;
mod compute_domains;
mod deletion;
mod fence;
mod full_namespace;
mod gangs;
mod joining;
mod minimums;
mod orphans;
mod readiness;
mod recorded;
mod refusal;
mod revisions;
mod situation;
mod status;
mod status_pace;
mod suspend;
mod termination;
mod training;
mod update;
