//! The consequences of raised attempts, the group's own and that of its PodCliqueSet replica
//! (docs/semantics.md §4.3, §4.7).

use std::collections::HashSet;
use std::sync::Arc;

use api::PodClique;
use domain::health::fence;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::roster::Slot;
use domain::workload::layout;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status::Fences;

/// The whole PodCliqueSet replica was terminated: the attempts of single group replicas belong to
/// its earlier attempt. One write stores the new number; nothing is created before it is observed.
/// A lower attempt of the set, or none, is not followed: the set is gone, or was recreated and
/// follows the group (decision 57).
pub(super) fn follow_set(snapshot: &Snapshot) -> Option<Fences> {
    let present = snapshot.set_attempt();
    (snapshot.observed_attempt() != present).then(|| Fences {
        observed_attempt: Some(present),
        replica_attempts: Vec::new(),
    })
}

/// Sets `recovered` of a terminated group replica that is scaled in before its PodCliques are
/// deleted: after a crash between the two, PodCliques created there later would count as not having
/// come back (decision 51).
pub(super) fn release_scaled_in(snapshot: &Snapshot) -> Option<Fences> {
    let before = snapshot.replica_attempts();
    let replicas = snapshot.group.spec.replicas;
    let attempts = fence::with_recovered(before, |j| j >= replicas);
    (attempts != before).then(|| Fences::of(snapshot, attempts))
}

/// A PodClique of a higher attempt than the group has stored: the group was deleted with
/// `--cascade=orphan`, or restored. Its attempt follows. A PodClique that has no controller and is
/// not wanted is a leftover, which raises nothing (decision 36).
pub(super) fn catch_up(snapshot: &Snapshot, now: Timestamp) -> Option<Fences> {
    let higher = snapshot.podcliques.values().filter_map(|c| {
        let (j, found) = (snapshot.replica_of(c)?, Attempt::of(&c.metadata));
        let is_of_this_life = found.set == snapshot.set_attempt();
        (is_of_this_life && found > snapshot.attempt(j)).then_some((&**c, j, found))
    });
    let group = ownership::uid(&snapshot.group.metadata);
    let is_own = |c: &PodClique| ownership::is_controlled_by(&c.metadata, group);
    let (own, others): (Vec<_>, Vec<_>) = higher.partition(|(c, ..)| is_own(c));
    let mut attempts = snapshot.replica_attempts().to_vec();
    for (_, j, found) in own.into_iter().chain(taken_over(snapshot, others)) {
        if let Some(higher) = fence::adopt_higher_attempts(&attempts, j, found.group, now) {
            attempts = higher;
        }
    }
    (attempts != snapshot.replica_attempts()).then(|| Fences::of(snapshot, attempts))
}

type Higher<'a> = (&'a PodClique, i32, Attempt);

/// The PodCliques without a controller that the group adopts with their attempt: they are wanted,
/// and no available PodClique is terminated because of them.
fn taken_over<'a>(snapshot: &Snapshot, mut found: Vec<Higher<'a>>) -> Vec<Higher<'a>> {
    if found.is_empty() {
        return found;
    }
    let has_run = |c: &&Arc<PodClique>| c.status.as_ref().is_some_and(|s| s.was_available);
    let lowest = fence::lowest(
        snapshot
            .own_podcliques()
            .filter(has_run)
            .filter_map(|c| Some((snapshot.replica_of(c)?, Attempt::of(&c.metadata)))),
    );
    found.retain(|(podclique, j, found)| {
        let name = ownership::name(&podclique.metadata);
        let members = layout::members_of_group_replica(&snapshot.group, *j).cliques;
        ownership::controller(&podclique.metadata).is_none()
            && *j < snapshot.group.spec.replicas
            && members.iter().any(|wanted| wanted.name == name)
            && lowest.get(j).is_none_or(|lowest| lowest >= found)
    });
    found
}

/// Deletes PodCliques of earlier attempts of single group replicas.
pub(super) fn earlier_attempts(snapshot: &Snapshot) -> Vec<Action> {
    previous(snapshot)
        .filter(|(_, c)| !ownership::is_terminating(&c.metadata))
        .map(|(_, c)| Action::delete::<PodClique>(&c.metadata, Purpose::TerminateGroupReplica))
        .collect()
}

/// PodCliques of earlier attempts, terminating or not, with the index of their group replica.
pub(super) fn previous(snapshot: &Snapshot) -> impl Iterator<Item = (i32, &Arc<PodClique>)> {
    snapshot.filled_slots().filter_map(|(j, slot)| match slot {
        Slot::Previous(podclique) => Some((j, podclique)),
        _ => None,
    })
}

/// Nothing is created in a group replica while a PodClique of an earlier attempt exists there, or
/// anywhere in a PodCliqueSet replica that is being terminated.
pub(super) struct Terminating {
    all: bool,
    replicas: HashSet<i32>,
}

impl Terminating {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        Self {
            all: snapshot.is_set_replica_terminating,
            replicas: previous(snapshot).map(|(j, _)| j).collect(),
        }
    }

    pub(super) fn holds(&self, j: i32) -> bool {
        self.all || self.replicas.contains(&j)
    }
}
