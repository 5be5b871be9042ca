//! What follows from a raised fence (design, protocol rule 4, steps 3 to 5). Raising it is the
//! business of whoever tears a replica down.

use api::PodCliqueSetStatus;
use domain::fence;
use domain::plan::{Action, Kind, Plan};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// A PodClique of a higher attempt than the fence knows: its parent was recreated, restored or
/// adopted. The fence follows, in a plan of its own; everything else is decided on what it says
/// then.
pub(super) fn catch_up(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<Plan<PodCliqueSetStatus>> {
    let mut attempts = snapshot.attempts().to_vec();
    for clique in snapshot.podcliques.values() {
        let Some(replica) = snapshot.replica_of(clique) else {
            continue;
        };
        if let Some(higher) = fence::raise_to_found(&attempts, replica, clique.attempt().set, now) {
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
