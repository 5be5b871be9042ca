//! Which templates are in force in a replica (docs/semantics.md §14.8).

use api::{PodCliqueSet, PodCliqueSetStatus, names};

use super::is_on_delete;
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

/// The revision that the status stores for the replica; `None` if it is on the accepted one. The
/// entries are stored by index, and each replica is looked up: hence by binary search.
pub fn revision_of(status: &PodCliqueSetStatus, replica: i32) -> Option<&str> {
    let all = &status.replica_revisions;
    let at = all
        .binary_search_by_key(&replica, |entry| entry.replica)
        .ok()?;
    Some(&all.get(at)?.revision)
}
