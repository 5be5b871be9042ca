//! Gang termination (docs/semantics.md §3): replicas that will be terminated, with the time.

use api::conditions::Reason;
use api::{PodClique, PodCliqueScalingGroup};
use domain::health::availability::{clique_breach, group_breach};
use domain::health::termination::{self, Breach};
use domain::object::ownership;
use domain::plan::Target;
use domain::workload::layout::{Group, LayoutSlot};
use jiff::SignedDuration;

use super::Situation;
use crate::explain::answer::NextStep;
use crate::workload::View;

/// Terminations that are listed.
const MOST: usize = 5;

/// The termination of the part's replica, and of others, unless they recover.
pub(super) fn of_replica(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    let Some(part) = &situation.finding.part else {
        return Vec::new();
    };
    let is_acted_on = situation.is_acted_on();
    if !is_acted_on || situation.reason.is_none() {
        return Vec::new();
    }
    let due = breaches(situation.view, part);
    if due.is_empty() && situation.reason != Some(Reason::ReplicaTerminating) {
        return explain_nothing(situation, part).into_iter().collect();
    }
    due.into_iter()
        .take(MOST)
        .map(|(what, breach)| {
            let text = format!("the operator terminates {what} unless it recovers: {breach}");
            NextStep::at(breach.due(), text)
        })
        .collect()
}

/// The breach that is due first of each whole replica, the part's own first, and of the part's own
/// group replica.
fn breaches(view: &View<'_>, part: &LayoutSlot<'_>) -> Vec<(String, Breach)> {
    let layout = &view.roster.layout;
    let delay = termination::delay_of_set(&view.workload.set);
    let all = layout.replicas.iter().flat_map(|replica| {
        let cliques = replica
            .standalone
            .iter()
            .filter_map(|part| of_clique(view, part, part.replica, delay?));
        let groups = replica.groups.iter();
        cliques.chain(groups.filter_map(|group| of_group(view, replica.index, group)))
    });
    let holds_since = |replica| view.roster.holds_since(replica);
    let without_room = Breach::without_room(&view.workload.set, holds_since);
    let mut whole = termination::first_of_each_replica(all.chain(without_room).collect());
    whole.sort_by_key(|breach| (breach.replica != part.replica, breach.due()));
    let own = layout
        .replica(part.replica)
        .and_then(|replica| of_own_group(view, part, &replica.groups));
    let whole = whole
        .into_iter()
        .map(|breach| (format!("replica {}", breach.replica), breach));
    own.into_iter().chain(whole).collect()
}

fn of_clique(
    view: &View<'_>,
    part: &LayoutSlot<'_>,
    replica: i32,
    delay: SignedDuration,
) -> Option<Breach> {
    let podclique = view.podclique(part)?;
    let stored = podclique.podclique.status.as_ref()?.into();
    let object = Target::of::<PodClique>(&podclique.podclique.metadata);
    Breach::confirmed(replica, object, delay, stored, || {
        let is_updating = view.is_updating(part.replica);
        clique_breach(&podclique.facts().in_update(is_updating))
    })
}

fn of_group(view: &View<'_>, replica: i32, planned: &Group<'_>) -> Option<Breach> {
    let group = view.roster.group(&planned.name)?;
    let delay = termination::delay_of_group(&view.workload.set, planned.config)?;
    let stored = group.status.as_ref()?.into();
    let object = Target::of::<PodCliqueScalingGroup>(&group.metadata);
    Breach::confirmed(replica, object, delay, stored, || {
        let is_updating = view.is_updating(replica);
        group_breach(&view.roster.group_facts(group, is_updating))
    })
}

/// A group replica is terminated alone while enough of its group are healthy.
fn of_own_group(
    view: &View<'_>,
    part: &LayoutSlot<'_>,
    groups: &[Group<'_>],
) -> Option<(String, Breach)> {
    let j = part.group_replica?;
    let group = view.roster.group_of(part)?;
    let planned = groups
        .iter()
        .find(|g| g.config.name == part.group.map_or("", |c| &c.name))?;
    let is_updating = view.is_updating(part.replica);
    let facts = view.roster.group_facts(group, is_updating);
    let delay = termination::delay_of_group(&view.workload.set, planned.config)?;
    let own = planned.replicas.iter().find(|r| r.index == j)?;
    let breaches = own
        .cliques
        .iter()
        .filter_map(|part| of_clique(view, part, j, delay));
    let first = termination::first_of_each_replica(breaches.collect());
    let is_healthy = facts.healthy() >= facts.minimum();
    let name = ownership::name(&group.metadata);
    let first = first.into_iter().next().filter(|_| is_healthy)?;
    Some((format!("group replica {j} of {name}"), first))
}

/// The reason why nothing is terminated though pods are missing.
fn explain_nothing(situation: &Situation<'_, '_>, part: &LayoutSlot<'_>) -> Option<NextStep> {
    let (view, podclique) = (situation.view, situation.finding.podclique?);
    let status = podclique.podclique.status.as_ref()?;
    let (replica, name) = (part.replica, &part.name);
    let facts = podclique.facts();
    if facts.available >= facts.minimum() {
        return None;
    }
    let has_delay = termination::delay_of_set(&view.workload.set).is_some();
    let why = if !has_delay {
        // A PodClique that was never available is never terminated.
        (status.was_available || status.scaled_below_to.is_some())
            .then_some("the set has no terminationDelay (a default in the operator's configuration would count)")?
            .to_owned()
    } else if view.is_updating(replica) {
        "its update is under way".to_owned()
    } else if !facts.is_established() {
        format!("PodClique {name} has not had its minimum since it was created or scaled up")
    } else {
        return None;
    };
    Some(NextStep::sometime(format!(
        "the operator does not terminate replica {replica} for it: {why}"
    )))
}
