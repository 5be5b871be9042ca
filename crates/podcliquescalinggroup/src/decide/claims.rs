//! The resource claims that the group owns: one for all of its replicas, or one for each
//! (docs/devices.md).

use domain::object::ownership;
use domain::plan::Action;
use domain::sharing::Keeper;
use jiff::Timestamp;

use crate::observe::{Snapshot, claims};

/// The writes that bring the claims up to date: removals first. A job that is over gets no claims.
pub(super) fn plan_claims(snapshot: &Snapshot, now: Timestamp) -> Vec<Vec<Action>> {
    let owner = snapshot.owner.as_ref().filter(|_| claims::shares(snapshot));
    let Some(owner) = owner else {
        return Vec::new();
    };
    let keeper = Keeper {
        set: &owner.set,
        owner: ownership::controller_reference(&*snapshot.group),
        wanted: claims::wanted(snapshot),
        facts: &snapshot.claims,
    };
    let is_left = |j: i32| {
        let mut podcliques = snapshot.podcliques.values();
        podcliques.any(|podclique| snapshot.replica_of(podclique) == Some(j))
    };
    let mut kept = keeper.corrections();
    if !snapshot.is_over() {
        kept.extend(keeper.creations(now));
    }
    vec![keeper.removals(now, |j| !is_left(j)), kept]
}
