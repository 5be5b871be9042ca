//! What follows from a raised fence (design, protocol rule 4, steps 3 to 5). Raising it is the
//! business of whoever tears a replica down.

use api::PodCliqueSetStatus;
use domain::plan::{Action, Kind, Plan};
use domain::{fence, ownership};
use jiff::Timestamp;

use crate::observe::{Snapshot, is_owned};

/// A PodClique of a higher attempt than the fence knows, or a scaling group that speaks of one: its
/// parent was recreated, restored or adopted. The fence follows, in a plan of its own; everything
/// else is decided on what it says then.
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

/// Replicas and the attempts that their PodCliques are of.
fn of_podcliques(snapshot: &Snapshot) -> impl Iterator<Item = (i32, i32)> {
    let all = snapshot.podcliques.values();
    all.filter_map(|c| Some((snapshot.replica_of(c)?, c.attempt().set)))
}

/// Replicas and the attempts that their scaling groups have followed.
fn of_groups(snapshot: &Snapshot) -> impl Iterator<Item = (i32, i32)> {
    let owned = snapshot.groups.iter().filter(|g| is_owned(&g.metadata));
    owned.filter_map(|g| {
        let replica = ownership::replica_in(snapshot.name(), &g.metadata)?;
        Some((replica, g.status.as_ref()?.observed_attempt?))
    })
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
