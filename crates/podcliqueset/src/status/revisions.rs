//! The revisions in force (docs/semantics.md §14.8).

use std::collections::HashSet;

use api::podcliqueset::ReplicaRevision;
use api::{PodCliqueSetStatus, names};
use domain::roster::{Roster, Slot};
use domain::update;
use domain::workload::hash;
use domain::workload::layout::Replica;

use crate::observe::Snapshot;

/// Names the revision of the accepted templates, and keeps the revision of each replica that is not
/// on them: that which was accepted before, from the write that accepts other ones to the turn of
/// the replica. `replaced` is the generation that this write replaces.
pub(super) fn note_revisions(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    replaced: Option<&str>,
) {
    let revisions = &snapshot.history.revisions;
    let named = |hash: &str| Some(names::revision(snapshot.name(), hash));
    let stored = |hash| named(hash).filter(|name| revisions.find(name).is_some());
    next.current_revision = next.current_generation_hash.as_deref().and_then(stored);
    let set = &snapshot.validated.set;
    if update::is_on_delete(set) || snapshot.is_training() {
        next.replica_revisions.clear();
        return;
    }
    let accepted = next.current_generation_hash.as_deref().and_then(named);
    let before = replaced.filter(|hash| hash::is_ours(hash)).and_then(stored);
    if let Some(before) = before {
        add_missing(&mut next.replica_revisions, roster, &before);
    }
    let turn = update::turn_in(set, next).map(|turn| turn.replica_index);
    let is_over = next.update_progress.as_ref();
    let is_over = is_over.is_none_or(|progress| progress.update_ended_at.is_some());
    next.replica_revisions.retain(|entry| {
        let is_accepted = accepted.as_deref() == Some(&*entry.revision);
        let exists = entry.replica < snapshot.replicas();
        exists && !is_over && !is_accepted && turn != Some(entry.replica)
    });
}

/// A replica that exists and has no revision of its own was on the accepted one until now.
fn add_missing(entries: &mut Vec<ReplicaRevision>, roster: &Roster<'_>, before: &str) {
    let exists = |replica: &&Replica<'_>| {
        let mut slots = replica.slots().map(|slot| roster.slot(slot));
        let was_terminated = roster.present_attempt(replica.index) > 0;
        was_terminated || slots.any(|slot| !matches!(slot, Slot::Empty | Slot::Foreign(_)))
    };
    let known: HashSet<i32> = entries.iter().map(|entry| entry.replica).collect();
    let existing = roster.layout.replicas.iter().filter(exists);
    let missing = existing.filter(|replica| !known.contains(&replica.index));
    entries.extend(missing.map(|replica| ReplicaRevision {
        replica: replica.index,
        revision: before.to_owned(),
    }));
    entries.sort_by_key(|entry| entry.replica);
}
