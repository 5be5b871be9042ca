//! The group replicas that were scaled in and are still being deleted (docs/semantics.md §2.4,
//! decision 82).

use std::collections::BTreeSet;

use api::limits::MAX_REPLICAS;
use domain::health::availability;
use domain::object::{indices, ownership};

use crate::observe::Snapshot;

/// `status.scaledInReplicas` after this observation: kept until the last of their PodCliques is gone.
pub(super) fn next(snapshot: &Snapshot) -> Option<String> {
    let stored = availability::scaled_in_replicas(&snapshot.group);
    let is_allowed = snapshot.allowed_indexes();
    let left: BTreeSet<i32> = snapshot
        .own_podcliques()
        .filter_map(|podclique| {
            let j = snapshot.replica_of(podclique)?;
            let is_leaving = stored.contains(&j) && ownership::is_terminating(&podclique.metadata);
            let is_surplus = !is_allowed(j);
            (j < MAX_REPLICAS && (is_surplus || is_leaving)).then_some(j)
        })
        .collect();
    (!left.is_empty()).then(|| indices::format(&left))
}
