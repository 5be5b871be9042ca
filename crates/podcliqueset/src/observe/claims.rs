//! The resource claims that the set owns.

use std::sync::Arc;

use api::PodCliqueSet;
use domain::Claim;
use domain::object::ownership;
use domain::sharing::ClaimFacts;
use domain::workload::claims::{self, Level, SharedClaim};
use domain::workload::limits;
use engine::Caches;

use crate::PodCliqueSetReconciler;

/// Reads them only if pods share claims of the set.
pub(super) fn observe(
    set: &PodCliqueSet,
    rules: &PodCliqueSetReconciler,
    caches: &Caches,
) -> ClaimFacts {
    if set.spec.template.resource_sharing.is_empty() {
        return ClaimFacts::default();
    }
    let timeouts = rules.stuck_timeouts;
    let holders = || caches.holders_of_claims(set, timeouts);
    let others = rules.templates_of_other_namespaces;
    caches.claim_facts(set, set, &wanted(set), others, holders)
}

/// The claims that the set has to have.
pub(crate) fn wanted(set: &PodCliqueSet) -> Vec<SharedClaim<'_>> {
    let entries = set.spec.template.resource_sharing.iter();
    let entries = entries.map(|entry| &entry.sharing);
    let replicas = (0..limits::bounded(set.spec.replicas)).collect();
    let name = ownership::name(&set.metadata);
    claims::of_owner(Level::Set, name, entries, &replicas)
}

/// The claims that the set controls, and those without an owner that it would adopt.
pub(super) fn find_own(set: &PodCliqueSet, facts: &ClaimFacts, caches: &Caches) -> Vec<Arc<Claim>> {
    let mut claims = caches.of::<Claim>().owned_by(set);
    let free = facts.found.values();
    let free = free.filter(|claim| claim.is_left_by(ownership::name(&set.metadata)));
    claims.extend(free.cloned());
    claims
}
