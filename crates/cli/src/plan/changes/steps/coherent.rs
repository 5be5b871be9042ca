//! The steps of a coherent update (docs/semantics.md §14.9).

use std::collections::BTreeSet;

use api::podcliqueset::UpdateStrategyType;
use domain::update;
use serde::Serialize;

use super::batches::Batch;
use super::collect::Collector;
use super::turn_part::{TurnPart, shares_of};
use super::whole_turn::{Size, ends_of_steps};

/// An update whose cliques and groups are replaced together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedUpdate {
    /// `spec.updateStrategy.type`.
    pub strategy: UpdateStrategyType,
    /// The cliques and groups that it changes.
    pub scope: Vec<String>,
    /// Name of the ControllerRevision with the newest templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Its steps in their order, of one replica of the set after the other.
    pub steps: Vec<PlannedUpdateStep>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedUpdateStep {
    /// Index of the replica of the set.
    pub replica: i32,
    /// The units of its batches, in their order.
    pub batches: Vec<PlannedShare>,
}

/// The units of one clique or group in a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedShare {
    /// Number of the batch in its step, from 1: all units with one number are replaced together.
    pub batch: usize,
    /// Name of the clique or group in the template.
    pub component: String,
    /// Indexes of its pods, or of its group replicas, the highest first.
    pub indexes: Vec<i32>,
    /// The number of units that are available at any time, at least.
    pub floor: i32,
    /// The number of all its units.
    pub replicas: i32,
    /// Whether the batch is the minimum of each clique and group: the base gang as a whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_base_gang: bool,
    /// Names of the cliques and groups that keep their part of the base gang, if the batch replaces
    /// all the rest of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub base_gang_without: Vec<String>,
}

impl Collector {
    /// The steps of the update; `None` if it replaces nothing, or if its parts do not go together.
    pub(super) fn plan_update(&self) -> Option<PlannedUpdate> {
        let batches = self.batches.iter();
        let batches: Vec<&Batch> = batches.filter(|b| !b.shares.is_empty()).collect();
        if batches.is_empty() || !update::is_coherent(&self.set) {
            return None;
        }
        let status = self.set.status.as_ref()?;
        let progress = status.update_progress.as_ref();
        let scope = progress.map(update::scope_of).unwrap_or_default();
        let components = update::components_of(&self.set.spec.template);
        let names = components.map(|component| component.name);
        let in_scope = names.filter(|name| scope.contains(name));
        let turns = batches.chunk_by(|one, other| one.replica == other.replica);
        let steps = turns.flat_map(|turn| self.steps_of_turn(turn, &scope));
        Some(PlannedUpdate {
            strategy: update::strategy(&self.set),
            scope: in_scope.map(str::to_owned).collect(),
            revision: status.current_revision.clone(),
            steps: steps.collect(),
        })
    }

    fn steps_of_turn(&self, turn: &[&Batch], scope: &BTreeSet<&str>) -> Vec<PlannedUpdateStep> {
        let parts = self.parts_of_turn(turn, scope);
        let kept = self.names_beside(&parts, turn);
        let sizes: Vec<Size<'_>> = parts.iter().map(TurnPart::size).collect();
        let ends = ends_of_steps(&sizes);
        let mut new: Vec<i32> = parts.iter().map(|part| part.new).collect();
        let mut numbered: Vec<(usize, &Batch)> = Vec::new();
        for batch in turn.iter().copied() {
            numbered.push((number_of_step(&ends, &new), batch));
            for (part, new) in parts.iter().zip(&mut new) {
                *new = new.saturating_add(part.count(batch));
            }
        }
        let by_step = numbered.chunk_by(|one, other| one.0 == other.0);
        let steps = by_step.map(|batches| {
            let shares = batches.iter().zip(1..);
            let shares =
                shares.flat_map(|((_, batch), number)| shares_of(&parts, &kept, batch, number));
            PlannedUpdateStep {
                replica: batches.first().map_or(0, |(_, batch)| batch.replica),
                batches: shares.collect(),
            }
        });
        steps.collect()
    }
}

/// The first step whose end some part has not reached; the last one if all have. The counts are those
/// before the batch.
fn number_of_step(ends: &[Vec<i32>], new: &[i32]) -> usize {
    let is_due = |end: &Vec<i32>| end.iter().zip(new).any(|(end, new)| new < end);
    let number = ends.iter().position(is_due);
    number.unwrap_or(ends.len().saturating_sub(1))
}
