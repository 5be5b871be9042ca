//! Group replicas of an older template are recreated on their set replica's turn, as a whole and
//! within the budget (docs/semantics.md §14.5). Deleted here, they are recreated as missing ones.

use std::collections::HashSet;

use admission::validated_set::ValidatedSet;
use api::PodClique;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::roster::Slot;
use domain::update::ReplicaBudget;
use domain::workload::layout::Members;

use crate::observe::Snapshot;
use crate::rollout::{Hashed, Stage, is_outdated, newest_hashes, survey};

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
pub(super) fn plan_recreation(snapshot: &Snapshot) -> Recreation {
    if !is_due(snapshot) {
        return Recreation::default();
    }
    let hashed = newest_hashes(snapshot);
    let surveyed = survey(snapshot, &hashed);
    let leaving: Vec<&Members<'_>> = surveyed
        .iter()
        .filter(|(_, s)| *s == Stage::Leaving)
        .map(|(members, _)| members)
        .collect();
    let chosen: Vec<_> = chosen(snapshot, &surveyed).collect();
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
        && !snapshot.is_view_outdated
        && !snapshot.is_set_replica_terminating
}

/// The old replicas that are replaced now: unavailable ones of the base gang, without using the
/// budget, as that gang runs only as a whole and scaled gangs wait for it (decision 110); then
/// others within the budget, unavailable ones first; by index.
fn chosen<'a>(
    snapshot: &Snapshot,
    surveyed: &'a [(Members<'_>, Stage)],
) -> impl Iterator<Item = &'a Members<'a>> {
    let budget = budget(snapshot, surveyed);
    let is_base = |members: &Members<'_>| members.group_replica < snapshot.min_available();
    let mut old: Vec<&(Members<'_>, Stage)> = surveyed.iter().filter(|(_, s)| s.is_old()).collect();
    old.sort_by_key(|(members, stage)| (*stage, members.group_replica));
    let is_free = |(m, s): &&(Members<'_>, Stage)| !s.is_available() && is_base(m);
    let (free, old): (Vec<_>, Vec<_>) = old.into_iter().partition(is_free);
    let within = budget.deletable().saturating_sub(free.len());
    let mut available = budget.deletable_available();
    let others = old
        .into_iter()
        .filter(move |(_, stage)| {
            let is_down = !stage.is_available();
            let is_affordable = is_down || available > 0;
            if !is_down {
                available = available.saturating_sub(1);
            }
            is_affordable
        })
        .take(within);
    free.into_iter().chain(others).map(|(members, _)| members)
}

fn budget(snapshot: &Snapshot, surveyed: &[(Members<'_>, Stage)]) -> ReplicaBudget {
    let count = |claim: &dyn Fn(Stage) -> bool| {
        let count = surveyed.iter().filter(|(_, stage)| claim(*stage)).count();
        i32::try_from(count).unwrap_or(i32::MAX)
    };
    let rolling = snapshot.config().and_then(|c| c.rolling_update.as_ref());
    ReplicaBudget {
        desired: snapshot.replicas(),
        min_available: snapshot.min_available(),
        max_unavailable: rolling.and_then(|r| r.max_unavailable),
        existing: count(&|s| !matches!(s, Stage::Absent | Stage::Leaving)),
        new_not_ready: count(&|s| s == Stage::NewNotReady),
        available: count(&Stage::is_available),
    }
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
