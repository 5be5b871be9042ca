//! Group replicas of an older template are recreated on their set replica's turn, as a whole and
//! within the budget (docs/semantics.md §14.5). Deleted here, they are recreated as missing ones.

use std::collections::HashSet;

use admission::validated_set::ValidatedSet;
use api::PodClique;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::roster::Slot;
use domain::update::{Component, Stage};
use domain::workload::layout::Members;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::rollout::{
    Hashed, component, held_indexes, holds_old_surge, is_outdated, newest_hashes, surge_units,
    survey,
};

/// The replicas that are recreated now.
#[derive(Debug, Default)]
pub(super) struct Recreation {
    /// Deletions of the PodCliques of group replicas that are replaced now. The remaining
    /// PodCliques of a replica that is being deleted go with it: it is down already. Also those of
    /// surge replicas that have served their purpose.
    pub(super) deletions: Vec<Action>,
    /// Group replicas that are being deleted, or are to be deleted now: nothing is created in them
    /// until they are gone, or new PodCliques would be taken for remaining ones and deleted, too.
    pub(super) closed: HashSet<i32>,
    /// Whether missing surge replicas are created.
    pub(super) fills_surge: bool,
}

/// Chooses the group replicas to recreate, and their PodCliques to delete now.
pub(super) fn plan_recreation(snapshot: &Snapshot, now: Timestamp) -> Recreation {
    if !is_due(snapshot) {
        return Recreation::default();
    }
    let hashed = newest_hashes(snapshot);
    let surveyed = survey(snapshot, &hashed, now);
    let component = component(snapshot, &surveyed, now);
    let fills_surge = component.fills_surge();
    let (released, component) = component.release_surge(surge_units(snapshot, &surveyed));
    let released: HashSet<i32> = released.iter().map(|unit| unit.index).collect();
    let is_released = |m: &Members<'_>| released.contains(&m.group_replica);
    let (surge, staying): (Vec<_>, Vec<_>) =
        surveyed.into_iter().partition(|(m, _)| is_released(m));
    let is_due = due_indexes(snapshot);
    let leaving: Vec<&Members<'_>> = staying
        .iter()
        .filter(|(m, stage)| *stage == Stage::Leaving && is_due(m.group_replica))
        .map(|(members, _)| members)
        .collect();
    let surge: Vec<&Members<'_>> = surge.iter().map(|(members, _)| members).collect();
    let chosen = choose(snapshot, component, &staying);
    let all = surge.iter().chain(&leaving).chain(&chosen);
    let closed = all.map(|m| m.group_replica).collect();
    let chosen = chosen.iter().flat_map(|m| first_of(snapshot, &hashed, m));
    let old = leaving.iter().flat_map(|m| own(snapshot, m)).chain(chosen);
    let surge = surge.iter().flat_map(|m| own(snapshot, m));
    let deletions = surge
        .map(|podclique| (podclique, Purpose::RemoveSurge))
        .chain(old.map(|podclique| (podclique, Purpose::UpdateGroupReplica)))
        .map(|(podclique, purpose)| Action::delete::<PodClique>(&podclique.metadata, purpose));
    Recreation {
        deletions: deletions.collect(),
        closed,
        fills_surge,
    }
}

/// Returns whether the update may replace the group replica with an index now. Surge is beyond all
/// steps.
fn due_indexes(snapshot: &Snapshot) -> impl Fn(i32) -> bool + use<> {
    let (from, surge) = (snapshot.first_replaced(), snapshot.surge_indexes());
    move |j| j >= from || surge.contains(&j)
}

fn is_due(snapshot: &Snapshot) -> bool {
    let owner = snapshot.owner.as_ref();
    owner.is_some_and(ValidatedSet::may_act)
        && snapshot.is_updating()
        && !snapshot.is_update_held()
        && !snapshot.is_view_outdated
        && !snapshot.is_set_replica_terminating
}

/// The old replicas that are replaced now, those with the highest index first; none before the
/// number of available ones is stored. At once: those without a node, and those of the base gang
/// that are down, as that gang runs only as a whole and scaled gangs wait for it (decision 110).
/// Within the budget: others that are down, and available ones. At an index that stays vacant a
/// replica without a node goes also below those that are replaced: nothing comes after it.
fn choose<'a>(
    snapshot: &Snapshot,
    component: Component,
    staying: &'a [(Members<'_>, Stage)],
) -> Vec<&'a Members<'a>> {
    if component.reached.is_none() {
        return Vec::new();
    }
    let limit = component.limits.max_unavailable.max(1);
    let starts = usize::try_from(limit.saturating_sub(component.starting)).unwrap_or(0);
    let (is_due, held) = (due_indexes(snapshot), held_indexes(snapshot));
    let may_go =
        |stage: Stage, j: i32| is_due(j) || (stage == Stage::OldUnplaced && held.contains(&j));
    let in_stage = |wanted: Stage| {
        let highest_first = staying.iter().rev();
        highest_first
            .filter(move |(_, stage)| *stage == wanted)
            .map(|(members, _)| members)
            .filter(move |members| may_go(wanted, members.group_replica))
    };
    let is_base = |members: &&Members<'_>| members.group_replica < snapshot.min_available();
    let (base, others): (Vec<_>, Vec<_>) = in_stage(Stage::OldDown).partition(is_base);
    let (surge, holds_surge) = (snapshot.surge_indexes(), holds_old_surge(snapshot));
    let is_held = |members: &&Members<'_>| holds_surge && surge.contains(&members.group_replica);
    let available = in_stage(Stage::OldAvailable).filter(|members| !is_held(members));
    in_stage(Stage::OldUnplaced)
        .chain(base)
        .chain(others.into_iter().take(starts))
        .chain(available.take(component.deletable()))
        .collect()
}

/// The PodCliques of a group replica that are deleted first: those whose own template is the newest
/// already. While one with an older template exists, the replica is known to be replaced as a
/// whole, also to an operator that starts in between.
fn first_of<'a>(
    snapshot: &'a Snapshot,
    hashed: &Hashed<'_>,
    members: &'a Members<'_>,
) -> Vec<&'a PodClique> {
    let is_old = |podclique: &&PodClique| {
        let name = ownership::name(&podclique.metadata);
        members
            .cliques
            .iter()
            .find(|m| m.name == name)
            .is_some_and(|m| is_outdated(snapshot, hashed, m.clique, podclique))
    };
    let (old, newest): (Vec<_>, Vec<_>) = own(snapshot, members).partition(is_old);
    if newest.is_empty() { old } else { newest }
}

/// The PodCliques of a group replica that are not being deleted.
fn own<'a>(
    snapshot: &'a Snapshot,
    members: &'a Members<'_>,
) -> impl Iterator<Item = &'a PodClique> {
    let slots = members.cliques.iter().map(|m| snapshot.slot(&m.name));
    slots.filter_map(|slot| match slot {
        Slot::Current(podclique) => Some(&**podclique),
        _ => None,
    })
}
