//! `make growth`: how the operator's cost grows with the number of pods. The whole operator runs
//! against the simulated API server, all in one thread; the cost of the cluster around it is
//! subtracted.
//!
//! ```text
//! GROWTH_PODS=10000 make growth        # no more pods than that
//! GROWTH_ONLY=cliques make growth      # or `events`
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "clippy.toml allows them in test functions, but this is no test"
)]

mod cliques;
mod cluster;
mod events;
mod kubelet;
mod link;
mod meter;
mod shape;
mod table;

fn main() {
    let pods = std::env::var("GROWTH_PODS").ok();
    let most = pods.map_or(usize::MAX, |pods| pods.parse().expect("a number of pods"));
    let only = std::env::var("GROWTH_ONLY").unwrap_or_default();
    if only != "cliques" {
        for shape in &shape::SHAPES {
            println!("{}", events::measure_all(shape, most));
        }
    }
    if only != "events" {
        println!("{}", cliques::measure_all(most));
    }
}
