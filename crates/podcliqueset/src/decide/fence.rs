//! What follows from a raised fence (design, protocol rule 4, steps 3 to 5). Raising it is the
//! business of whoever tears a replica down.

use api::PodCliqueSetStatus;
use domain::plan::{Action, Kind, Plan};
use domain::{fence, ownership};
use jiff::Timestamp;

use crate::observe::{CliqueSeen, Snapshot, is_owned};
use crate::parts;

/// A PodClique of a higher attempt than the fence knows, or a scaling group that speaks of one: its
/// parent was recreated, restored or adopted. The fence follows, in a plan of its own; everything
/// else is decided on what it says then. One that nobody controls and that is not wanted is a
/// leftover, which raises nothing.
pub(super) fn catch_up(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<Plan<PodCliqueSetStatus>> {
    let mut attempts = snapshot.attempts().to_vec();
    for (replica, found) in of_podcliques(snapshot).chain(of_groups(snapshot)) {
        if let Some(higher) = fence::raise_to_found(&attempts, replica, found, now) {
            attempts = higher;
        }
    }
    if attempts == snapshot.attempts() {
        return None;
    }
    let status = PodCliqueSetStatus {
        replica_attempts: attempts,
        ..status.clone()
    };
    Some(Plan {
        status: Some(status),
        ..Plan::default()
    })
}

/// Replicas and the higher attempts that PodCliques of theirs are of.
fn of_podcliques(snapshot: &Snapshot) -> impl Iterator<Item = (i32, i32)> {
    let all = snapshot.podcliques.values();
    all.filter_map(|c| {
        let (replica, found) = (snapshot.replica_of(c)?, c.attempt().set);
        let is_higher = found > snapshot.attempt(replica);
        let counts = || snapshot.is_own(c) || is_taken_over(snapshot, replica, c);
        (is_higher && counts()).then_some((replica, found))
    })
}

/// Replicas and the attempts that their scaling groups have followed.
fn of_groups(snapshot: &Snapshot) -> impl Iterator<Item = (i32, i32)> {
    let owned = snapshot.groups.iter().filter(|g| is_owned(&g.metadata));
    owned.filter_map(|g| {
        let replica = ownership::replica_in(snapshot.name(), &g.metadata)?;
        Some((replica, g.status.as_ref()?.observed_attempt?))
    })
}

/// Whether the set takes over the PodClique, which nobody controls, with its attempt: it is wanted,
/// and that tears down nothing that has run.
fn is_taken_over(snapshot: &Snapshot, replica: i32, clique: &CliqueSeen) -> bool {
    let meta = &clique.podclique.metadata;
    let has_run = |c: &CliqueSeen| c.podclique.status.as_ref().is_some_and(|s| s.was_available);
    let stands_against = |c: &CliqueSeen| {
        snapshot.replica_of(c) == Some(replica)
            && c.attempt().set < clique.attempt().set
            && snapshot.is_own(c)
            && has_run(c)
    };
    ownership::controller(meta).is_none()
        && snapshot.intake.may_act()
        && parts::expected(snapshot)
            .iter()
            .any(|part| part.name == ownership::name(meta))
        && !snapshot.podcliques.values().any(stands_against)
}

/// Deletes what is left of earlier attempts, standalone and grouped PodCliques alike.
pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueSetStatus>) {
    let replicas = snapshot.attempts().iter().map(|a| a.replica);
    let mut left: Vec<_> = replicas
        .flat_map(|i| snapshot.of_earlier_attempts(i))
        .filter(|clique| !clique.is_terminating())
        .map(|clique| &clique.podclique.metadata)
        .collect();
    left.sort_by(|a, b| a.name.cmp(&b.name));
    let delete = |meta| Action::delete(Kind::PodClique, meta, "its replica is torn down");
    plan.wave(left.into_iter().map(delete).collect());
}
