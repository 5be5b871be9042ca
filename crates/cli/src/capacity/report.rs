//! What is said of each gang.

use serde::Serialize;

use super::gang::Gang;
use super::place::{Outcome, Placed, Verdict};
use super::snapshot::Snapshot;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// What this is, in one line.
    pub simulation: String,
    /// Whether all gangs fit.
    pub fits: bool,
    /// Nodes of the snapshot.
    pub nodes: usize,
    /// Pods on them.
    pub pods: usize,
    /// The gangs, in the order in which they are placed.
    pub gangs: Vec<GangReport>,
    /// What is not considered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What was found of a gang.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GangReport {
    /// Namespace of its set.
    pub namespace: String,
    /// Name of its set.
    pub set: String,
    /// Name of the PodGang.
    pub name: String,
    /// The gang that it starts after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_gang: Option<String>,
    /// Whether it fits.
    pub verdict: Outcome,
    /// Pods that have to be placed together.
    pub guaranteed: Count,
    /// Further pods.
    pub best_effort: Count,
    /// Why it does not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// A placement, if it fits; without pods that have a node already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<PlacedPods>,
}

/// How many pods of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// All of them.
    pub pods: u32,
    /// Those for which there is room, or that have a node already.
    pub placed: u32,
}

/// Pods of one PodClique on one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedPods {
    /// Name of the PodClique.
    pub podclique: String,
    /// Name of the node.
    pub node: String,
    /// Guaranteed pods that go there.
    #[serde(skip_serializing_if = "is_zero")]
    pub guaranteed: u32,
    /// Best-effort pods that go there.
    #[serde(skip_serializing_if = "is_zero")]
    pub best_effort: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Puts the gangs together with what was found of them.
pub fn report(
    snapshot: &Snapshot,
    gangs: &[Gang],
    verdicts: &[Verdict],
    notes: Vec<String>,
) -> Report {
    let (nodes, pods) = (snapshot.nodes.len(), snapshot.pods.len());
    let both = gangs.iter().zip(verdicts);
    Report {
        simulation: format!(
            "simulation on a snapshot of {nodes} nodes, {pods} pods; a scheduler may differ"
        ),
        fits: verdicts.iter().all(|v| v.outcome == Outcome::Fits),
        nodes,
        pods,
        gangs: both
            .map(|(gang, verdict)| report_gang(gang, verdict))
            .collect(),
        notes,
    }
}

fn report_gang(gang: &Gang, verdict: &Verdict) -> GangReport {
    let count = |pods, placed| Count { pods, placed };
    GangReport {
        namespace: gang.namespace.clone(),
        set: gang.set.clone(),
        name: gang.name.clone(),
        base_gang: gang.base.clone(),
        verdict: verdict.outcome,
        guaranteed: count(gang.guaranteed(), verdict.guaranteed),
        best_effort: count(gang.best_effort(), verdict.best_effort),
        reasons: verdict.reasons.clone(),
        placement: verdict
            .places
            .iter()
            .filter_map(|p| placed(gang, p))
            .collect(),
    }
}

fn placed(gang: &Gang, placed: &Placed) -> Option<PlacedPods> {
    Some(PlacedPods {
        podclique: gang.parts.get(placed.part)?.podclique.clone(),
        node: placed.node.clone(),
        guaranteed: placed.guaranteed,
        best_effort: placed.best_effort,
    })
}
