//! Group replicas of an older template are recreated on their set replica's turn, as a whole and
//! within the budget (docs/semantics.md §14.5). Deleted here, they are recreated as missing ones.

use std::collections::HashSet;

use admission::validated_set::ValidatedSet;
use api::PodClique;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::roster::Slot;
use domain::update::{self, Stage};
use domain::workload::layout::Members;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::rollout::{Hashed, component, is_outdated, newest_hashes, survey};

/// The replicas that are recreated now.
#[derive(Debug, Default)]
pub(super) struct Recreation {
    /// Deletions of the PodCliques of group replicas that are replaced now. The remaining
    /// PodCliques of a replica that is being deleted go with it: it is down already.
    pub(super) deletions: Vec<Action>,
    /// Group replicas that are being deleted, or are to be deleted now: nothing is created in them
    /// until they are gone, or new PodCliques would be taken for remaining ones and deleted, too.
    pub(super) closed: HashSet<i32>,
}

/// Chooses the group replicas to recreate, and their PodCliques to delete now.
pub(super) fn plan_recreation(snapshot: &Snapshot, now: Timestamp) -> Recreation {
    if !is_due(snapshot) {
        return Recreation::default();
    }
    let hashed = newest_hashes(snapshot);
    let surveyed = survey(snapshot, &hashed, now);
    let leaving: Vec<&Members<'_>> = surveyed
        .iter()
        .filter(|(_, s)| *s == Stage::Leaving)
        .map(|(members, _)| members)
        .collect();
    let chosen = choose(snapshot, &surveyed, now);
    let closed = leaving.iter().chain(&chosen).map(|m| m.group_replica);
    let chosen = chosen.iter().flat_map(|m| first_of(snapshot, &hashed, m));
    let podcliques = leaving.iter().flat_map(|m| own(snapshot, m)).chain(chosen);
    let deletions =
        podcliques.map(|c| Action::delete::<PodClique>(&c.metadata, Purpose::UpdateGroupReplica));
    Recreation {
        deletions: deletions.collect(),
        closed: closed.collect(),
    }
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
/// Within the budget: others that are down, and available ones.
fn choose<'a>(
    snapshot: &Snapshot,
    surveyed: &'a [(Members<'_>, Stage)],
    now: Timestamp,
) -> Vec<&'a Members<'a>> {
    let component = component(snapshot, surveyed, now);
    if component.reached.is_none() {
        return Vec::new();
    }
    let rolling = snapshot.config().and_then(|c| c.rolling_update.as_ref());
    let limit =
        update::max_unavailable(rolling.and_then(|r| r.max_unavailable), snapshot.replicas());
    let starts = usize::try_from(limit.saturating_sub(component.starting)).unwrap_or(0);
    let in_stage = |wanted: Stage| {
        let highest_first = surveyed.iter().rev();
        highest_first
            .filter(move |(_, stage)| *stage == wanted)
            .map(|(members, _)| members)
    };
    let is_base = |members: &&Members<'_>| members.group_replica < snapshot.min_available();
    let (base, others): (Vec<_>, Vec<_>) = in_stage(Stage::OldDown).partition(is_base);
    in_stage(Stage::OldUnplaced)
        .chain(base)
        .chain(others.into_iter().take(starts))
        .chain(in_stage(Stage::OldAvailable).take(component.deletable(limit)))
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
