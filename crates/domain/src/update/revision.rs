//! Which templates are in force in a replica (docs/semantics.md §14.8).

use api::podcliqueset::{ComponentFrom, ReplicaRevision, RollingUpdate};
use api::{PodCliqueSet, PodCliqueSetStatus, names};

use super::{is_coherent, is_on_delete, partition_of, scope_of, turn};
use crate::health::training;
use crate::object::ownership;
use crate::workload::hash;

/// The revision from which PodCliques of the replica are created; `None` if from the newest
/// templates, those of `generation`.
///
/// It follows from the stored status alone, never from the objects that happen to exist: a
/// termination may have deleted all of them. A job has one template. With `OnDelete` a replacement
/// takes the newest one.
pub fn revision_in_force(set: &PodCliqueSet, generation: &str, replica: i32) -> Option<String> {
    if training::is_training(set) || is_on_delete(set) {
        return None;
    }
    let status = set.status.as_ref()?;
    if let Some(own) = revision_of(status, replica) {
        return Some(own.to_owned());
    }
    let accepted = status.current_generation_hash.as_deref()?;
    let is_older = hash::is_ours(accepted) && accepted != generation;
    is_older.then(|| names::revision(ownership::name(&set.metadata), accepted))
}

/// The revision that the status stores for the replica; `None` if it is on the accepted one.
pub fn revision_of(status: &PodCliqueSetStatus, replica: i32) -> Option<&str> {
    entry_of(status, replica)?.revision.as_deref()
}

/// The entries are stored by index, and each replica is looked up: hence by binary search.
fn entry_of(status: &PodCliqueSetStatus, replica: i32) -> Option<&ReplicaRevision> {
    let all = &status.replica_revisions;
    let at = all
        .binary_search_by_key(&replica, |entry| entry.replica)
        .ok()?;
    all.get(at)
}

/// The older units of a clique or group of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Older<'a> {
    /// Name of the ControllerRevision with their templates.
    pub revision: &'a str,
    /// Units with a lower index than this are older ones.
    pub below: i32,
}

/// The older units of this component in this replica, by the stored status; `None` if there are none.
/// In its turn they are those that no template replaces yet, otherwise those of which the end of the
/// last turn stored the index.
pub fn find_older<'a>(
    set: &'a PodCliqueSet,
    replica: i32,
    component: &str,
    rolling: Option<&RollingUpdate>,
) -> Option<Older<'a>> {
    if training::is_training(set) || is_on_delete(set) {
        return None;
    }
    let entry = entry_of(set.status.as_ref()?, replica)?;
    let revision = entry.older.as_deref()?;
    let is_in_turn = turn(set).is_some_and(|turn| turn.replica_index == replica);
    let below = if is_in_turn {
        first_replaced(set, component, rolling)
    } else {
        index_of(&entry.from, component).unwrap_or(0)
    };
    (below > 0).then_some(Older { revision, below })
}

/// Whether the status stores older units of the replica.
pub fn has_older(set: &PodCliqueSet, replica: i32) -> bool {
    let entry = set.status.as_ref().and_then(|s| entry_of(s, replica));
    entry.is_some_and(|entry| entry.older.is_some())
}

/// The lowest index of a component that the turn may replace now: its partition, and with `Coherent`
/// the index that the last step stored. Before the first step none may be replaced. A component that
/// the update does not change has no steps.
pub fn first_replaced(set: &PodCliqueSet, component: &str, rolling: Option<&RollingUpdate>) -> i32 {
    let partition = partition_of(rolling);
    if !is_coherent(set) {
        return partition;
    }
    let targets = turn(set).map_or(&[][..], |turn| &turn.targets);
    let status = set.status.as_ref();
    let progress = status.and_then(|status| status.update_progress.as_ref());
    let scope = progress.map(scope_of).unwrap_or_default();
    let is_meant = scope.is_empty() || scope.contains(component);
    let last = if is_meant { i32::MAX } else { 0 };
    index_of(targets, component).unwrap_or(last).max(partition)
}

fn index_of(all: &[ComponentFrom], component: &str) -> Option<i32> {
    let mut all = all.iter();
    all.find(|entry| entry.component == component)
        .map(|entry| entry.from)
}
