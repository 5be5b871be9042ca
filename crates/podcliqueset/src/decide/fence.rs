//! The consequences of a raised attempt (docs/semantics.md §4.3 to §4.5). The rules of gang
//! termination, of training jobs and of restarts on demand raise it.

use std::collections::HashSet;

use api::{PodClique, PodCliqueSetStatus};
use domain::health::fence;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::roster::{ObservedClique, Owner, Roster};
use jiff::Timestamp;

use crate::observe::{Snapshot, is_owned};

/// Stores a higher attempt than the stored one, found on a PodClique or in a scaling group's
/// `observedAttempt`: their parent was recreated, restored or adopted. The plan contains nothing
/// else. A PodClique that has no controller and is not wanted is a leftover, which raises nothing
/// (decision 36).
pub(super) fn adopt_higher_attempt(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<PodCliqueSetStatus> {
    let mut attempts = snapshot.attempts().to_vec();
    for (replica, found) in of_podcliques(snapshot, roster).chain(of_groups(snapshot)) {
        if let Some(higher) = fence::adopt_higher_attempts(&attempts, replica, found, now) {
            attempts = higher;
        }
    }
    if attempts == snapshot.attempts() {
        return None;
    }
    Some(PodCliqueSetStatus {
        replica_attempts: attempts,
        ..status.clone()
    })
}

/// Replicas with the higher attempts of their PodCliques.
fn of_podcliques(snapshot: &Snapshot, roster: &Roster<'_>) -> impl Iterator<Item = (i32, i32)> {
    let higher = roster.found().filter_map(|found| {
        let (i, clique) = (found.replica?, found.slot.occupant()?);
        let attempt = clique.attempt().set;
        (attempt > roster.present_attempt(i)).then_some((found.owner, (clique, i, attempt)))
    });
    let (own, others): (Vec<_>, Vec<_>) = higher.partition(|(owner, _)| *owner == Owner::Set);
    let own: Vec<Higher<'_>> = own.into_iter().map(|(_, higher)| higher).collect();
    let others = others.into_iter().map(|(_, higher)| higher).collect();
    let taken_over = taken_over(snapshot, roster, others);
    own.into_iter()
        .chain(taken_over)
        .map(|(_, replica, found)| (replica, found))
}

type Higher<'a> = (&'a ObservedClique, i32, i32);

/// The PodCliques without a controller that the set adopts with their attempt: they are wanted, and
/// no available PodClique is terminated because of them.
fn taken_over<'a>(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    mut found: Vec<Higher<'a>>,
) -> Vec<Higher<'a>> {
    if found.is_empty() || !snapshot.validated.may_act() {
        return Vec::new();
    }
    let wanted: HashSet<&str> = roster.layout.slots().map(|part| &*part.name).collect();
    let has_run =
        |c: &&ObservedClique| c.podclique.status.as_ref().is_some_and(|s| s.was_available);
    let own = roster.own().filter(has_run);
    let lowest =
        fence::lowest(own.filter_map(|c| Some((roster.replica_of(c.name())?, c.attempt().set))));
    found.retain(|(c, replica, found)| {
        let meta = &c.podclique.metadata;
        ownership::controller(meta).is_none()
            && wanted.contains(ownership::name(meta))
            && lowest.get(replica).is_none_or(|lowest| lowest >= found)
    });
    found
}

/// Replicas with the attempts that their scaling groups have followed.
fn of_groups(snapshot: &Snapshot) -> impl Iterator<Item = (i32, i32)> {
    snapshot
        .children
        .groups
        .iter()
        .filter(|g| is_owned(&g.metadata))
        .filter_map(|g| {
            let replica = ownership::replica_in(snapshot.name(), &g.metadata)?;
            Some((replica, g.status.as_ref()?.observed_attempt?))
        })
}

/// Deletes PodCliques of earlier attempts, standalone and grouped alike.
pub(super) fn plan_terminations(roster: &Roster<'_>) -> Vec<Action> {
    let mut left: Vec<_> = roster
        .previous()
        .map(|(_, clique)| clique)
        .filter(|clique| !clique.is_terminating())
        .map(|clique| &clique.podclique.metadata)
        .collect();
    left.sort_by(|a, b| a.name.cmp(&b.name));
    let delete = |meta| Action::delete::<PodClique>(meta, Purpose::TerminateReplica);
    left.into_iter().map(delete).collect()
}
