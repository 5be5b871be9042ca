//! What follows from raised fences, the group's own and that of its PodCliqueSet replica (design,
//! protocol rule 4).

use api::{PodClique, labels};
use domain::fence::{self, Attempt};
use domain::ownership;
use domain::plan::Action;
use jiff::Timestamp;

use super::{delete, staying};
use crate::observe::Snapshot;
use crate::status::Fences;

/// The whole PodCliqueSet replica was torn down: what is known of single group replicas is of an
/// earlier life. One write says so; nothing is created before it is seen. A set that knows of no
/// attempt, or of a lower one, is followed nowhere: it is gone, or was applied anew and follows the
/// group.
pub(super) fn follow_set(snapshot: &Snapshot) -> Option<Fences> {
    let present = snapshot.set_attempt();
    (snapshot.observed_attempt() != present).then(|| Fences {
        observed_attempt: Some(present),
        replica_attempts: Vec::new(),
    })
}

/// A recycled replica that is scaled in is latched as back before its PodCliques are deleted: after
/// a crash between the two nobody would know that what is made there next is a start.
pub(super) fn release_scaled_in(snapshot: &Snapshot) -> Option<Fences> {
    let before = snapshot.replica_attempts();
    let replicas = snapshot.group.spec.replicas;
    let attempts = fence::with_recovered(before, |j| j >= replicas);
    (attempts != before).then(|| Fences::of(snapshot, attempts))
}

/// A PodClique of a higher attempt than the group knows: the group was deleted with
/// `--cascade=orphan`, or restored. Its fence follows.
pub(super) fn catch_up(snapshot: &Snapshot, now: Timestamp) -> Option<Fences> {
    let mut attempts = snapshot.replica_attempts().to_vec();
    for podclique in snapshot.podcliques.values() {
        let found = Attempt::of(&podclique.metadata);
        let is_of_this_life = found.set == snapshot.set_attempt();
        if let Some(j) = replica(podclique).filter(|_| is_of_this_life)
            && let Some(higher) = fence::raise_to_found(&attempts, j, found.group, now)
        {
            attempts = higher;
        }
    }
    (attempts != snapshot.replica_attempts()).then(|| Fences::of(snapshot, attempts))
}

/// What is left of earlier attempts of single group replicas.
pub(super) fn earlier_attempts(snapshot: &Snapshot) -> Vec<Action> {
    let left = staying(snapshot).filter(|c| is_of_earlier_attempt(snapshot, c));
    left.map(|c| delete(c, "group replica is recycled"))
        .collect()
}

pub(super) fn is_of_earlier_attempt(snapshot: &Snapshot, podclique: &PodClique) -> bool {
    replica(podclique).is_some_and(|j| Attempt::of(&podclique.metadata) < snapshot.attempt(j))
}

/// Nothing is created in a group replica while a PodClique of an earlier attempt exists there, or
/// anywhere in a PodCliqueSet replica that is torn down.
pub(super) fn is_being_torn_down(snapshot: &Snapshot, desired: &PodClique) -> bool {
    let all = snapshot.podcliques.values();
    snapshot.is_set_replica_torn_down
        || all
            .filter(|c| replica(c) == replica(desired))
            .any(|c| is_of_earlier_attempt(snapshot, c))
}

/// Index of the group replica.
pub(super) fn replica(podclique: &PodClique) -> Option<i32> {
    ownership::label_index(&podclique.metadata, labels::SCALING_GROUP_REPLICA_INDEX)
}
