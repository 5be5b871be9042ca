//! The steps of a turn with strategy `Coherent` (docs/semantics.md §14.9): the consequences of a step
//! are decided from the stored targets.

use std::collections::BTreeSet;

use api::PodCliqueSetStatus;
use api::podcliqueset::{ComponentFrom, ReplicaUpdateProgress};
use domain::roster::Roster;
use domain::update::{self, Part, TemplateComponent};
use jiff::Timestamp;

use super::{is_running, to_i32, turn_of};
use crate::observe::Snapshot;
use crate::rollout::{self, NamedComponent, Newest};
use crate::status::revisions::changed_in_force;

/// Stores the cliques and groups that the update changes: when it begins, and when newer templates are
/// accepted, which change those that are not on them. `replaced` is the generation that this write
/// replaces. A group that is missing counts as well: it comes back with the templates in force.
pub(super) fn note_scope(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    replaced: Option<&str>,
) {
    let set = &snapshot.validated.set;
    let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) else {
        return;
    };
    if !update::is_coherent(set) {
        progress.in_scope_standalone_pod_cliques.clear();
        progress.in_scope_pod_clique_scaling_groups.clear();
        return;
    }
    if !update::scope_of(progress).is_empty() && replaced.is_none() {
        return;
    }
    let changed = rollout::changed_cliques(roster, newest);
    let kept = changed_in_force(&next.replica_revisions, replaced, snapshot);
    let is_changed =
        |part: &TemplateComponent<'_>| part.has_any(&changed) || kept.contains(part.name);
    let parts = update::components_of(&set.spec.template).filter(is_changed);
    let (groups, cliques): (Vec<_>, Vec<_>) = parts.partition(|part| part.group.is_some());
    let names = |parts: Vec<TemplateComponent<'_>>| {
        let names = parts.iter().map(|part| part.name.to_owned());
        names.collect()
    };
    progress.in_scope_standalone_pod_cliques = names(cliques);
    progress.in_scope_pod_clique_scaling_groups = names(groups);
}

/// Lowers the targets of the turn by one batch, once the batch before is up.
pub(super) fn plan_step(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let is_coherent = update::is_coherent(&snapshot.validated.set);
    let turn = turn_of(next, snapshot, newest, roster, now);
    let turn = turn.filter(|_| is_coherent && !snapshot.view.is_outdated);
    let components = turn.map(|turn| turn.components());
    let generation = next.current_generation_hash.clone();
    let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) else {
        return;
    };
    let in_scope = update::scope_of(progress).into_iter().map(str::to_owned);
    let in_scope: BTreeSet<String> = in_scope.collect();
    let Some(turn) = progress.currently_updating.first_mut() else {
        return;
    };
    if !is_coherent {
        forget_steps(turn);
        return;
    }
    let Some(components) = components else {
        return;
    };
    let is_part = |c: &&NamedComponent| in_scope.contains(&c.name) || !c.units.old.is_empty();
    // Where nothing may be missing, surge is the only way on: all parts wait for its room.
    let mut members = components.iter().filter(is_part);
    let may_go_on = members.all(|c| c.numbers.limits.max_unavailable > 0);
    let without_surge = components.iter().find_map(|c| c.without_surge.clone());
    let stored = turn.without_surge.take();
    turn.without_surge = stored.or(without_surge).filter(|_| may_go_on);
    let members = components.iter().filter(is_part);
    let parts: Vec<Part> = members.map(|component| part(component, turn)).collect();
    let step = update::next_step(&parts);
    keep_targets(&mut turn.targets, step.targets, &in_scope);
    turn.message = step.waits_for;
    turn.in_flight_epochs = generation
        .filter(|_| step.is_in_flight)
        .into_iter()
        .collect();
}

/// The next targets. A part without units keeps its own: they come back on both sides of it.
fn keep_targets(
    stored: &mut Vec<ComponentFrom>,
    next: Vec<ComponentFrom>,
    in_scope: &BTreeSet<String>,
) {
    let is_absent = |target: &ComponentFrom| {
        let mut named = next.iter().map(|next| &next.component);
        in_scope.contains(&target.component) && !named.any(|name| *name == target.component)
    };
    stored.retain(is_absent);
    stored.splice(0..0, next);
}

fn forget_steps(turn: &mut ReplicaUpdateProgress) {
    turn.targets.clear();
    turn.without_surge = None;
    turn.message = None;
    turn.in_flight_epochs.clear();
}

fn part(component: &NamedComponent, turn: &ReplicaUpdateProgress) -> Part {
    let units = &component.units;
    let mut targets = turn.targets.iter();
    let stored = targets.find(|target| target.component == component.name);
    Part {
        name: component.name.clone(),
        numbers: component.numbers,
        old: units.old.clone(),
        new: to_i32(units.new),
        unplaced: to_i32(units.unplaced),
        vacant: units.vacant.clone(),
        from: stored.map(|target| target.from),
        is_base_down: component.is_base_down,
    }
}
