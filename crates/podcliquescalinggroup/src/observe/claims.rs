//! The resource claims that the group owns.

use std::collections::BTreeSet;

use domain::object::ownership;
use domain::sharing::ClaimFacts;
use domain::workload::claims::{self, Level, SharedClaim};
use engine::Caches;

use super::Snapshot;
use crate::PodCliqueScalingGroupReconciler;

/// Reads them only if pods share claims of the group.
pub(super) fn observe(
    snapshot: &Snapshot,
    rules: &PodCliqueScalingGroupReconciler,
    caches: &Caches,
) -> ClaimFacts {
    let wanted = wanted(snapshot);
    let Some(owner) = snapshot.owner.as_ref().filter(|_| shares(snapshot)) else {
        return ClaimFacts::default();
    };
    let holders = || caches.holders_of_claims(&owner.set, rules.stuck_timeouts);
    let others = rules.templates_of_other_namespaces;
    caches.claim_facts(&owner.set, &*snapshot.group, &wanted, others, holders)
}

/// Whether pods share claims of the group.
pub(crate) fn shares(snapshot: &Snapshot) -> bool {
    let config = snapshot.config();
    config.is_some_and(|config| !config.resource_sharing.is_empty())
}

/// The claims that the group has to have: also for surge replicas, and for replicas that exist.
pub(crate) fn wanted(snapshot: &Snapshot) -> Vec<SharedClaim<'_>> {
    let Some(config) = snapshot.config().filter(|_| shares(snapshot)) else {
        return Vec::new();
    };
    let mut indexes: BTreeSet<i32> = (0..snapshot.replicas()).collect();
    indexes.extend(snapshot.surge_indexes());
    let staying = snapshot.own_podcliques();
    let staying = staying.filter(|c| !ownership::is_terminating(&c.metadata));
    indexes.extend(staying.filter_map(|c| snapshot.replica_of(c)));
    let entries = config.resource_sharing.iter().map(|entry| &entry.sharing);
    let name = ownership::name(&snapshot.group.metadata);
    claims::of_owner(Level::Group, name, entries, &indexes)
}
