//! The resource claims that the set owns: one for all replicas, or one for each (docs/devices.md).

use domain::object::ownership;
use domain::plan::Action;
use domain::sharing::Keeper;
use jiff::Timestamp;

use crate::observe::{self, Snapshot};

/// Creates missing claims, and corrects the others.
pub(super) fn plan_claims(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let Some(keeper) = find_keeper(snapshot) else {
        return Vec::new();
    };
    let mut actions = keeper.corrections();
    actions.extend(keeper.creations(now));
    actions
}

/// Adopts claims, without creating any.
pub(super) fn adopt_claims(snapshot: &Snapshot) -> Vec<Action> {
    find_keeper(snapshot).map_or_else(Vec::new, |keeper| keeper.corrections())
}

/// Removes the claims of replicas that are scaled in, once nothing of such a replica is left.
pub(super) fn plan_removals(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let Some(keeper) = find_keeper(snapshot).filter(|_| !snapshot.claims.is_empty()) else {
        return Vec::new();
    };
    let is_left = |i: i32| {
        let mut podcliques = snapshot.podcliques.values();
        podcliques.any(|c| ownership::replica_in(snapshot.name(), &c.podclique.metadata) == Some(i))
    };
    keeper.removals(now, |i| !is_left(i))
}

/// `None`: pods share no claims of the set.
fn find_keeper(snapshot: &Snapshot) -> Option<Keeper<'_>> {
    let set = &snapshot.validated.set;
    let shares = !set.spec.template.resource_sharing.is_empty();
    shares.then(|| Keeper {
        set,
        owner: ownership::controller_reference(set),
        wanted: observe::wanted_claims(set),
        facts: &snapshot.claims,
    })
}
