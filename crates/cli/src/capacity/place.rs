//! Gangs on nodes: each as a whole or not at all, one after the other.
//!
//! ```text
//! fleet: numbers ─▶ placer: gang by gang ─▶ greedy: pod by pod ─▶ verdict
//!                                                shortage: reasons
//! ```
//!
//! Pods get nodes one by one, in the order of the template, each the node that its scheduler
//! prefers. No placed pod moves again. A scheduler that tries more may still find a placement where
//! this finds none.

mod domain_room;
mod fleet;
mod free_resources;
mod greedy;
mod placer;
mod rules;
mod shortage;

use super::gang::Gang;
use super::snapshot::ClusterSnapshot;
use placer::Placer;

pub use domain_room::{DomainRoom, PackRooms, find_rooms};

/// Whether a gang fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// All guaranteed pods have a node.
    Fits,
    /// Some guaranteed pods have no node.
    NoPlacementFound,
    /// It starts after its base gang, which has no placement.
    WaitsForBase,
}

/// The result of placing one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangVerdict {
    /// Whether it fits.
    pub outcome: Outcome,
    /// Guaranteed pods that have a node; all of them if the gang fits.
    pub guaranteed: u32,
    /// Best-effort pods that have a node.
    pub best_effort: u32,
    /// Nodes of its pods; empty unless it fits.
    pub places: Vec<Placed>,
    /// The shortage, if it does not fit.
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
pub fn place_gangs(snapshot: &ClusterSnapshot, gangs: &[Gang]) -> Vec<GangVerdict> {
    let (fleet, demands, rules) = fleet::number(snapshot, gangs);
    let room = free_resources::FreeResources::of(&fleet, snapshot, &rules);
    Placer::of(gangs, &demands, room).place_all()
}
