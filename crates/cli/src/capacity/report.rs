//! The report: one verdict for each gang.

use serde::Serialize;

use super::gang::Gang;
use super::place::{GangVerdict, Outcome, Placed};
use super::snapshot::ClusterSnapshot;

/// The report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Title line.
    pub simulation: String,
    /// Whether all gangs fit.
    pub fits: bool,
    /// Nodes of the snapshot.
    pub nodes: usize,
    /// Pods on these nodes.
    pub pods: usize,
    /// The gangs, in the order of placement.
    pub gangs: Vec<GangReport>,
    /// Limits of the simulation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The verdict on a gang.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GangReport {
    /// Namespace of its set.
    pub namespace: String,
    /// Name of its set.
    pub set: String,
    /// Name of the PodGang.
    pub name: String,
    /// The base gang, which starts first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_gang: Option<String>,
    /// Whether it fits.
    pub verdict: Outcome,
    /// Pods to place together.
    pub guaranteed: Count,
    /// Further pods.
    pub best_effort: Count,
    /// The shortage, if it does not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The placement, if it fits; without pods that have a node already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<PlacedPods>,
}

/// Placed pods of all pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// All pods.
    pub pods: u32,
    /// Pods that the placement gives a node, or that have one already.
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

/// Joins the gangs with their verdicts.
pub fn report(
    snapshot: &ClusterSnapshot,
    gangs: &[Gang],
    verdicts: &[GangVerdict],
    notes: Vec<String>,
) -> Report {
    let (fleet, pods) = (snapshot.nodes.len(), snapshot.pods.len());
    Report {
        simulation: format!(
            "simulation on a snapshot of {fleet} nodes, {pods} pods; a scheduler may differ"
        ),
        fits: verdicts.iter().all(|v| v.outcome == Outcome::Fits),
        nodes: fleet,
        pods,
        gangs: gangs
            .iter()
            .zip(verdicts)
            .map(|(gang, verdict)| report_gang(gang, verdict))
            .collect(),
        notes,
    }
}

fn report_gang(gang: &Gang, verdict: &GangVerdict) -> GangReport {
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
