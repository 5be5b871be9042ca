//! The resource claims that the pods share: with each other, or with pods of other PodCliques.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::{PodClique, PodCliqueSet};
use domain::Claim;
use domain::object::ownership;
use domain::sharing::{ClaimFacts, Owners};
use domain::workload::claims::{self, Level, SharedClaim};
use domain::workload::layout;
use engine::Caches;

use super::Snapshot;
use crate::{PodCliqueReconciler, rollout};

/// The claims of a PodClique's pods, and the inputs of decisions about them.
#[derive(Clone, Debug, Default)]
pub struct SharingFacts {
    /// The set, if pods of this PodClique share claims.
    pub set: Option<Arc<PodCliqueSet>>,
    /// The claims that exist, and their users.
    pub claims: ClaimFacts,
}

impl SharingFacts {
    /// The claims that the pod with this index names.
    pub(crate) fn of_pod(&self, podclique: &str, index: i32) -> Vec<SharedClaim<'_>> {
        let Some(set) = &self.set else {
            return Vec::new();
        };
        let (name, template) = (ownership::name(&set.metadata), &set.spec.template);
        let slot = layout::find(name, template, podclique);
        slot.map_or_else(Vec::new, |slot| {
            claims::of_pod(name, template, &slot, index)
        })
    }

    /// The claims that the PodClique itself has to have.
    pub(crate) fn own(&self, podclique: &str, indexes: &BTreeSet<i32>) -> Vec<SharedClaim<'_>> {
        let set = self.set.as_deref();
        set.map_or_else(Vec::new, |set| own_claims(set, podclique, indexes))
    }
}

/// Reads them, of a set in which some pods share claims.
pub(super) fn observe(
    snapshot: &Snapshot,
    set: Arc<PodCliqueSet>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> SharingFacts {
    let podclique = &snapshot.podclique;
    let name = ownership::name(&podclique.metadata);
    let mut wanted = own_claims(&set, name, &indexes(snapshot));
    wanted.extend(claims_of_parents(&set, name));
    if wanted.is_empty() {
        return SharingFacts::default();
    }
    // The pods of others count only where a pod is about to be created.
    let holders = || {
        if lacks_pods(snapshot) {
            caches.holders_of_claims(&set, snapshot.stuck_timeouts)
        } else {
            caches.holders_among(&set, &snapshot.pods, snapshot.stuck_timeouts)
        }
    };
    let others = rules.templates_of_other_namespaces;
    let claims = ClaimFacts {
        // No other pods name its own claims.
        may_have_more: snapshot.may_have_more,
        ..caches.claim_facts(&set, &**podclique, &wanted, others, holders)
    };
    drop(wanted);
    SharingFacts {
        set: Some(set),
        claims,
    }
}

fn own_claims<'a>(
    set: &'a PodCliqueSet,
    podclique: &str,
    indexes: &BTreeSet<i32>,
) -> Vec<SharedClaim<'a>> {
    let template = &set.spec.template;
    let slot = layout::find(ownership::name(&set.metadata), template, podclique);
    let mut cliques = template.cliques.iter();
    let clique = slot.and_then(|slot| cliques.find(|clique| clique.name == slot.clique));
    let entries = clique.into_iter().flat_map(|c| &c.resource_sharing);
    claims::of_owner(Level::Clique, podclique, entries, indexes)
}

fn claims_of_parents<'a>(set: &'a PodCliqueSet, podclique: &str) -> Vec<SharedClaim<'a>> {
    let (name, template) = (ownership::name(&set.metadata), &set.spec.template);
    let slot = layout::find(name, template, podclique);
    slot.map_or_else(Vec::new, |slot| claims::of_parents(name, template, &slot))
}

/// The indexes that have a claim each: of the pods that are wanted, of surge pods, and of all that
/// exist and stay.
pub(crate) fn indexes(snapshot: &Snapshot) -> BTreeSet<i32> {
    let staying = snapshot.pods.iter().filter(|pod| !pod.is_terminating());
    (0..snapshot.replicas())
        .chain(rollout::surge_indexes(snapshot))
        .chain(staying.filter_map(|pod| pod.index()))
        .collect()
}

fn lacks_pods(snapshot: &Snapshot) -> bool {
    let staying = snapshot.pods.iter().filter(|pod| !pod.is_terminating());
    let wanted = usize::try_from(snapshot.replicas()).unwrap_or_default();
    staying.count() < wanted.saturating_add(rollout::surge_indexes(snapshot).len())
}

/// The uids of the objects that own the claims.
pub(crate) fn owners(snapshot: &Snapshot) -> Owners<'_> {
    let meta = &snapshot.podclique.metadata;
    let owner = ownership::controller(meta).filter(|_| snapshot.is_grouped());
    Owners {
        set: snapshot.set_uid(),
        group: owner.map_or("", |owner| owner.uid.as_str()),
        clique: ownership::uid(meta),
    }
}

/// The claims that it controls, if it is being deleted.
pub(super) fn find_own(podclique: &PodClique, caches: &Caches) -> Vec<Arc<Claim>> {
    if ownership::is_terminating(&podclique.metadata) {
        caches.of::<Claim>().owned_by(podclique)
    } else {
        Vec::new()
    }
}
