//! Group replicas of an older template are recreated on their set replica's turn, as a whole and
//! within the budget (docs/semantics.md §14.5). Deleted here, they are created anew as missing ones.

use admission::validated_set::ValidatedSet;
use domain::plan::{Action, Purpose};
use domain::update::ReplicaBudget;
use domain::workload::layout::Members;

use super::own::delete_podclique;
use crate::observe::Snapshot;
use crate::rollout::{Stage, survey};

/// Deletes the PodCliques of group replicas whose turn it is. What is left of a replica that is
/// being deleted goes with it: it is down already.
pub(super) fn plan_outdated_replicas(snapshot: &Snapshot) -> Vec<Action> {
    if !is_due(snapshot) {
        return Vec::new();
    }
    let surveyed = survey(snapshot);
    let leaving = surveyed.iter().filter(|(_, s)| *s == Stage::Leaving);
    let chosen = chosen(budget(snapshot, &surveyed), &surveyed);
    let replicas = leaving.map(|(members, _)| members).chain(chosen);
    replicas.flat_map(|r| deletions(snapshot, r)).collect()
}

fn is_due(snapshot: &Snapshot) -> bool {
    let owner = snapshot.owner.as_ref();
    owner.is_some_and(ValidatedSet::may_act)
        && snapshot.is_updating()
        && !snapshot.is_set_replica_terminating
}

/// The old ones in the order in which they are replaced: those that are down first, which cost
/// nobody anything; by index.
fn chosen<'a>(
    budget: ReplicaBudget,
    surveyed: &'a [(Members<'_>, Stage)],
) -> impl Iterator<Item = &'a Members<'a>> {
    let mut old: Vec<&(Members<'_>, Stage)> = surveyed.iter().filter(|(_, s)| s.is_old()).collect();
    old.sort_by_key(|(members, stage)| (*stage, members.group_replica));
    let mut available = budget.deletable_available();
    let affordable = old.into_iter().filter(move |(_, stage)| {
        let is_free = !stage.is_available();
        let is_affordable = is_free || available > 0;
        if !is_free {
            available = available.saturating_sub(1);
        }
        is_affordable
    });
    affordable
        .take(budget.deletable())
        .map(|(members, _)| members)
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

fn deletions<'a>(
    snapshot: &'a Snapshot,
    members: &'a Members<'_>,
) -> impl Iterator<Item = Action> + use<'a> {
    let found = members.cliques.iter();
    let found = found.filter_map(|member| snapshot.podclique(&member.name));
    let own = found.filter(|c| snapshot.is_own(c));
    own.map(|c| delete_podclique(c, Purpose::UpdateGroupReplica))
}
