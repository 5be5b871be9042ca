//! Gangs on nodes: each as a whole or not at all, one after the other.
//!
//! ```text
//! fleet: numbers ─▶ greedy: as a scheduler would ─▶ search: all placements ─▶ verdict
//!                                                     bounds, likeness        shortage: why not
//! ```
//!
//! A gang fits if its guaranteed pods can be placed together with those of all gangs before it that
//! fit: if need be, those are placed otherwise. So a verdict depends on nothing that a scheduler
//! might choose one way or the other.

mod bounds;
mod fleet;
mod greedy;
mod likeness;
mod neighbours;
mod packing;
mod placer;
mod room;
mod rules;
mod search;
mod shortage;

use super::gang::Gang;
use super::snapshot::Snapshot;
use placer::Placer;

/// How many times one command may look at a node in searches.
pub const EFFORT: u64 = 20_000_000;

/// Whether a gang fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// There is a placement.
    Fits,
    /// There is none.
    DoesNotFit,
    /// No placement was found, and there are too many to try them all.
    Unknown,
    /// It starts after its base gang, for which no placement was found.
    WaitsForBase,
}

/// What becomes of a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it fits.
    pub outcome: Outcome,
    /// Guaranteed pods that have a node in the best placement that was found; all of them if it fits.
    pub guaranteed: u32,
    /// Best-effort pods that have one.
    pub best_effort: u32,
    /// Where its pods are; nothing unless it fits.
    pub places: Vec<Placed>,
    /// Why it does not fit, or not quite.
    pub reasons: Vec<String>,
}

/// Pods of one PodClique on one node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed {
    /// Number of the part in its gang.
    pub part: usize,
    /// Name of the node.
    pub node: String,
    /// Guaranteed pods that go there.
    pub guaranteed: u32,
    /// Best-effort pods that go there.
    pub best_effort: u32,
}

/// Places gangs in this order, and all best-effort pods after them.
pub fn place_gangs(snapshot: &Snapshot, gangs: &[Gang]) -> Vec<Verdict> {
    place_gangs_within(snapshot, gangs, EFFORT)
}

/// The same with another limit of effort.
pub fn place_gangs_within(snapshot: &Snapshot, gangs: &[Gang], effort: u64) -> Vec<Verdict> {
    let (fleet, demands, rules) = fleet::number(snapshot, gangs);
    let room = room::Room::of(&fleet, snapshot, &rules);
    Placer::of(gangs, &demands, room, effort).place_all()
}
