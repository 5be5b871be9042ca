//! Tests of the rules of PodCliques.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod breach;
mod claims;
mod compute_domain;
mod deletion;
mod finished;
mod foreign;
mod gates;
mod idle;
mod labels;
mod marks;
mod observe;
mod pod;
mod pod_group;
mod preferred_domains;
mod quota;
mod recorded;
mod scale;
mod situation;
mod start_order;
mod status;
mod status_pace;
mod stuck;
mod suspend;
mod training;
mod update;
