//! The resource claims of the PodClique, and those that a new pod names (docs/devices.md).

use domain::Claim;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::sharing::{Keeper, MissingClaim, NamedClaim};
use jiff::Timestamp;

use crate::observe::{Snapshot, claims};

/// The writes that bring the PodClique's own claims up to date: removals first.
pub(super) fn plan_claims(snapshot: &Snapshot, now: Timestamp) -> Vec<Vec<Action>> {
    let sharing = &snapshot.sharing;
    let Some(set) = &sharing.set else {
        return Vec::new();
    };
    let name = ownership::name(&snapshot.podclique.metadata);
    let keeper = Keeper {
        set,
        owner: ownership::controller_reference(&*snapshot.podclique),
        wanted: sharing.own(name, &claims::indexes(snapshot)),
        facts: &sharing.claims,
    };
    let mut kept = keeper.corrections();
    if snapshot.may_create {
        kept.extend(keeper.creations(now));
    }
    vec![keeper.removals(now, |_| true), kept]
}

/// Deletes all claims of a PodClique whose pods are gone.
pub(super) fn plan_deletions(snapshot: &Snapshot) -> Vec<Action> {
    let staying = snapshot.own_claims.iter().filter(|c| !c.is_terminating());
    staying
        .map(|claim| Action::delete_as_seen::<Claim>(&claim.metadata, Purpose::DeleteWithPodClique))
        .collect()
}

/// The claims that a new pod with this index names.
///
/// # Errors
/// If one of them is not there for it.
pub(super) fn find_claims(
    snapshot: &Snapshot,
    index: i32,
    now: Timestamp,
) -> Result<Vec<NamedClaim>, MissingClaim> {
    let Some(set) = &snapshot.sharing.set else {
        return Ok(Vec::new());
    };
    let (claims, owners) = (&snapshot.sharing.claims, claims::owners(snapshot));
    let name = ownership::name(&snapshot.podclique.metadata);
    let wanted = snapshot.sharing.of_pod(name, index);
    wanted
        .iter()
        .map(|wanted| claims.find(wanted, &owners, set, now))
        .collect()
}
