//! What follows from raised fences, the group's own and that of its PodCliqueSet replica (design,
//! protocol rule 4).

use std::sync::Arc;

use api::{PodClique, names};
use domain::fence::{self, Attempt};
use domain::ownership;
use domain::plan::Action;
use jiff::Timestamp;

use super::{delete, owned, staying};
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
/// `--cascade=orphan`, or restored. Its fence follows. One that nobody controls and that is not
/// wanted is a leftover, which raises nothing.
pub(super) fn catch_up(snapshot: &Snapshot, now: Timestamp) -> Option<Fences> {
    let mut attempts = snapshot.replica_attempts().to_vec();
    for podclique in snapshot.podcliques.values() {
        let found = Attempt::of(&podclique.metadata);
        let is_of_this_life = found.set == snapshot.set_attempt();
        if let Some(j) = snapshot.replica_of(podclique).filter(|_| is_of_this_life)
            && let Some(higher) = fence::raise_to_found(&attempts, j, found.group, now)
            && (snapshot.is_own(podclique) || is_taken_over(snapshot, j, podclique))
        {
            attempts = higher;
        }
    }
    (attempts != snapshot.replica_attempts()).then(|| Fences::of(snapshot, attempts))
}

/// Whether the group takes over the PodClique, which nobody controls, with its attempt: it is
/// wanted, and that tears down nothing that has run.
fn is_taken_over(snapshot: &Snapshot, j: i32, podclique: &PodClique) -> bool {
    let meta = &podclique.metadata;
    let group = ownership::name(&snapshot.group.metadata);
    let mut cliques = snapshot.group.spec.clique_names.iter();
    let stands_against = |c: &&Arc<PodClique>| {
        let has_run = c.status.as_ref().is_some_and(|s| s.was_available);
        has_run && snapshot.replica_of(c) == Some(j) && Attempt::of(&c.metadata) < Attempt::of(meta)
    };
    ownership::controller(meta).is_none()
        && j < snapshot.group.spec.replicas
        && cliques.any(|c| names::grouped_clique(group, j, c) == ownership::name(meta))
        && !owned(snapshot).any(|c| stands_against(&c))
}

/// What is left of earlier attempts of single group replicas.
pub(super) fn earlier_attempts(snapshot: &Snapshot) -> Vec<Action> {
    let left = staying(snapshot).filter(|c| is_of_earlier_attempt(snapshot, c));
    left.map(|c| delete(c, "group replica is recycled"))
        .collect()
}

/// What nobody controls never counts.
pub(super) fn is_of_earlier_attempt(snapshot: &Snapshot, podclique: &PodClique) -> bool {
    let is_earlier = |j| Attempt::of(&podclique.metadata) < snapshot.attempt(j);
    snapshot.is_own(podclique) && snapshot.replica_of(podclique).is_some_and(is_earlier)
}

/// Nothing is created in a group replica while a PodClique of an earlier attempt exists there, or
/// anywhere in a PodCliqueSet replica that is torn down.
pub(super) fn is_being_torn_down(snapshot: &Snapshot, desired: &PodClique) -> bool {
    let all = snapshot.podcliques.values();
    snapshot.is_set_replica_torn_down
        || all
            .filter(|c| snapshot.replica_of(c) == snapshot.replica_of(desired))
            .any(|c| is_of_earlier_attempt(snapshot, c))
}
