//! The resource claims of the PodClique, and those that a new pod names (docs/devices.md).

use domain::Claim;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::sharing::{Keeper, MissingClaim, NamedClaim};
use jiff::Timestamp;

use super::create::Missing;
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

/// The next time at which the claims of new pods may be others. Pods of other PodCliques count only while
/// new pods wait for a claim: at other times the end of those pods triggers nothing here.
pub(super) fn next_loss(
    snapshot: &Snapshot,
    missing: &Missing,
    now: Timestamp,
) -> Option<Timestamp> {
    // Most PodCliques share nothing, and each decision comes here.
    snapshot.sharing.set.as_ref()?;
    let name = ownership::name(&snapshot.podclique.metadata);
    let own = snapshot.sharing.own(name, &claims::indexes(snapshot));
    let is_own = |claim: &str| own.iter().any(|own| own.may_have_name(claim));
    let holders = &snapshot.sharing.claims.holders;
    holders.next_loss(now, |claim| missing.waits_for_claim() || is_own(claim))
}
