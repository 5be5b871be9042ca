//! The steps of a coherent update in plain words.

use crate::output::{self, count};
use crate::plan::changes::{PlannedShare, PlannedUpdate, PlannedUpdateStep};

const ORDER: &str = "A batch (|) begins once the one before is available; replicas of the set are \
                     updated one after the other.";

/// A line for each step; replicas of the set with the same steps share them.
pub(super) fn draw_update(update: &PlannedUpdate) -> String {
    let steps = &update.steps;
    let turns = steps.chunk_by(|one, other| one.replica == other.replica);
    let turns: Vec<&[PlannedUpdateStep]> = turns.collect();
    let alike = turns.chunk_by(|one, other| batches_of(one).eq(batches_of(other)));
    let mut parts = vec!["\n".to_owned()];
    parts.extend(alike.map(|turns| draw_turns(&update.scope, turns)));
    parts.push(output::indent("", ORDER));
    parts.concat()
}

fn draw_turns(scope: &[String], turns: &[&[PlannedUpdateStep]]) -> String {
    let Some((steps, others)) = turns.split_first() else {
        return String::new();
    };
    let number = count(steps.len(), "step");
    let replica = replica_of(steps);
    let title = format!("scope {}; {number} in replica {replica}", scope.join(", "));
    let first = format!("{} ", output::bold("update by Coherent:"));
    let mut lines = vec![output::indent(&first, &title)];
    for (step, number) in steps.iter().zip(1..) {
        lines.push(draw_step(scope, step, number));
    }
    let others = others.iter().map(|turn| replica_of(turn).to_string());
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        let word = if others.len() == 1 {
            "replica"
        } else {
            "replicas"
        };
        let text = format!("{word} {}: the same", others.join(", "));
        lines.push(output::indent("  ", &text));
    }
    lines.concat()
}

fn replica_of(steps: &[PlannedUpdateStep]) -> i32 {
    steps.first().map_or(0, |step| step.replica)
}

fn batches_of(steps: &[PlannedUpdateStep]) -> impl Iterator<Item = &[PlannedShare]> {
    steps.iter().map(|step| &step.batches[..])
}

/// Its batches, and below them the fewest available units of each clique and group.
fn draw_step(scope: &[String], step: &PlannedUpdateStep, number: usize) -> String {
    let batches = step.batches.chunk_by(|one, other| one.batch == other.batch);
    let batches: Vec<String> = batches.map(describe_batch).collect();
    let floors = scope.iter().filter_map(|name| {
        let mut shares = step.batches.iter();
        let first = shares.find(|share| share.component == *name)?;
        let (floor, replicas) = (first.floor, first.replicas);
        Some(format!("{name} >= {floor} of {replicas}"))
    });
    let floors: Vec<String> = floors.collect();
    let first = format!("  step {number}: ");
    let margin = " ".repeat(first.len());
    let batches = output::indent(&first, &batches.join(" | "));
    batches + &output::indent(&margin, &floors.join(", "))
}

fn describe_batch(shares: &[PlannedShare]) -> String {
    let units = shares.iter().map(|share| {
        let indexes = describe_indexes(&share.indexes);
        format!("{} {indexes}", share.component)
    });
    let units: Vec<String> = units.collect();
    let end = shares.first().map(describe_base_gang);
    format!("{}{}", units.join(", "), end.unwrap_or_default())
}

/// Whether the batch replaces the base gang, and what of that stays.
fn describe_base_gang(share: &PlannedShare) -> String {
    let kept = &share.base_gang_without;
    if share.is_base_gang {
        " (base gang)".to_owned()
    } else if kept.is_empty() {
        String::new()
    } else {
        format!(" (base gang without {})", kept.join(", "))
    }
}

/// Falling indexes: `9-7 and 4`.
fn describe_indexes(indexes: &[i32]) -> String {
    let runs = indexes.chunk_by(|one, next| next.saturating_add(1) == *one);
    let runs = runs.filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        let text = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        Some(text)
    });
    let runs: Vec<String> = runs.collect();
    runs.join(" and ")
}
