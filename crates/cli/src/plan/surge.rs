//! Whether the surge units of an update find nodes now, by a snapshot of the cluster
//! (docs/semantics.md §14.7).

use std::collections::{BTreeMap, BTreeSet};

use api::{PodCliqueScalingGroup, PodCliqueSet, names};
use domain::object::ownership;
use domain::object::quantity_text::write_amount;
use domain::plan::Kind;
use domain::workload::{gang, layout};
use serde::Serialize;

use super::changes::{Change, PlannedStep};
use crate::capacity::{
    Amounts, ClusterSnapshot, Gang, GangPart, GangVerdict, Outcome, add_times, gangs_of,
    place_gangs, read_snapshot,
};
use crate::cluster::Cluster;
use crate::exit::Failure;

/// The surge of one clique or group in the turn of its replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedSurge {
    /// Name of the PodClique or PodCliqueScalingGroup.
    pub component: String,
    /// Its surge pods, or the pods of its surge replicas.
    pub pods: u32,
    /// The resources that they request besides those of the pods that exist, as quantities.
    pub needs: BTreeMap<String, String>,
    /// Whether all of them would find nodes now; absent if nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fits: Option<bool>,
    /// The nodes that they would get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    /// The shortage, or why nobody knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Whether the update goes on without surge where there is no room: `maxUnavailable` is not 0.
    pub is_optional: bool,
}

/// The surge of the update that the file causes. Without the right to read all nodes and pods the
/// needs are known, and nobody knows whether they fit.
pub async fn plan_surge(cluster: &Cluster, change: &Change) -> Result<Vec<PlannedSurge>, Failure> {
    if !change.steps.iter().any(has_surge) {
        return Ok(Vec::new());
    }
    match read_snapshot(cluster, false).await {
        Ok(snapshot) => judge_surge(&change.set, &change.steps, &snapshot),
        Err(error) => {
            let mut all = judge_surge(&change.set, &change.steps, &ClusterSnapshot::default())?;
            for surge in &mut all {
                surge.fits = None;
                surge.reasons = vec![error.to_string()];
            }
            Ok(all)
        }
    }
}

fn has_surge(step: &PlannedStep) -> bool {
    step.max_surge.is_some()
}

/// Places the surge of each replica alone: replicas are updated one after the other, the cliques and
/// groups of one at the same time.
pub fn judge_surge(
    set: &PodCliqueSet,
    steps: &[PlannedStep],
    snapshot: &ClusterSnapshot,
) -> Result<Vec<PlannedSurge>, Failure> {
    let name = ownership::name(&set.metadata);
    let gangs = gangs_of(&fill_idle(set, steps), snapshot)
        .map_err(|error| Failure::BadInput(format!("podcliqueset {name}: {error}")))?;
    let parts = || gangs.iter().flat_map(|gang| &gang.parts);
    let surge = steps.iter().filter_map(|step| {
        let units = u32::try_from(step.max_surge?).ok()?;
        let unit = parts().filter(|part| is_of_unit(step, part));
        let gang = Gang {
            namespace: set.metadata.namespace.clone().unwrap_or_default(),
            set: name.to_owned(),
            name: step.name.clone(),
            node_order: gangs.first()?.node_order,
            parts: unit.map(|part| surge_part(step, part, units)).collect(),
            ..Gang::default()
        };
        Some((step, gang))
    });
    let (steps, gangs): (Vec<_>, Vec<_>) = surge.unzip();
    let replica = |gang: &Gang| names::parts_of_standalone_clique(name, &gang.name).map(|(i, _)| i);
    let of_one = gangs.chunk_by(|one, other| replica(one) == replica(other));
    let verdicts = of_one.flat_map(|gangs| place_gangs(snapshot, gangs));
    let judged = steps.iter().zip(&gangs).zip(verdicts);
    let told = judged.map(|((step, gang), verdict)| tell(step, gang, verdict));
    Ok(told.collect())
}

/// The set with units of the cliques and groups with surge that are scaled to zero in the template
/// only: there they are in no gang, by which the needs of a unit are known.
fn fill_idle(set: &PodCliqueSet, steps: &[PlannedStep]) -> PodCliqueSet {
    let mut filled = set.clone();
    let (name, template) = (ownership::name(&set.metadata), &set.spec.template);
    for step in steps.iter().filter(|step| has_surge(step)) {
        if is_group(step) {
            let found = layout::find_group(name, template, &step.name);
            let is_it = |group: &str| found.is_some_and(|(config, _)| config.name == group);
            let mut groups = filled.spec.template.scaling_groups.iter_mut();
            let idle = groups.find(|group| is_it(&group.name) && group.replicas == Some(0));
            if let Some(group) = idle {
                group.replicas = Some(gang::group_minimum(group).max(1));
            }
        } else {
            let found = layout::find(name, template, &step.name);
            let is_it = |clique: &str| found.as_ref().is_some_and(|part| part.clique == clique);
            let mut cliques = filled.spec.template.cliques.iter_mut();
            let idle = cliques.find(|clique| is_it(&clique.name) && clique.spec.replicas == 0);
            if let Some(clique) = idle {
                clique.spec.replicas = 1;
            }
        }
    }
    filled
}

/// Whether the pods of the PodClique belong to one unit of the component: those of a clique, and of a
/// group those of its first replica.
fn is_of_unit(step: &PlannedStep, part: &GangPart) -> bool {
    if is_group(step) {
        part.podclique == format!("{}-0-{}", step.name, part.clique)
    } else {
        part.podclique == step.name
    }
}

fn is_group(step: &PlannedStep) -> bool {
    step.kind == Kind::of::<PodCliqueScalingGroup>().name()
}

fn surge_part(step: &PlannedStep, part: &GangPart, units: u32) -> GangPart {
    let pods_of_unit = if is_group(step) {
        part.guaranteed.saturating_add(part.best_effort)
    } else {
        1
    };
    GangPart {
        guaranteed: pods_of_unit.saturating_mul(units),
        best_effort: 0,
        held: Vec::new(),
        packs: Vec::new(),
        ..part.clone()
    }
}

fn tell(step: &PlannedStep, gang: &Gang, verdict: GangVerdict) -> PlannedSurge {
    let nodes: BTreeSet<String> = verdict.places.into_iter().map(|place| place.node).collect();
    PlannedSurge {
        component: step.name.clone(),
        pods: gang.guaranteed(),
        needs: needs_of(gang),
        fits: Some(verdict.outcome == Outcome::Fits),
        nodes: nodes.into_iter().collect(),
        reasons: verdict.reasons,
        is_optional: step.max_unavailable != Some(0),
    }
}

fn needs_of(gang: &Gang) -> BTreeMap<String, String> {
    let mut sum = Amounts::new();
    for part in &gang.parts {
        add_times(&mut sum, &part.needs.requests, part.guaranteed.into());
    }
    let written = |(resource, amount): (String, i64)| {
        let text = write_amount(&resource, amount);
        (resource, text)
    };
    sum.into_iter().map(written).collect()
}
