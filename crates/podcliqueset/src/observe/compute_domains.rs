//! The ComputeDomains of the set, and the pods that name their templates.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use api::nvidia::ComputeDomain;
use api::{PodCliqueSet, names};
use domain::object::ownership;
use domain::workload::clique::{MNNVL_CLAIM, domain_of};
use domain::workload::{limits, nvlink};
use domain::{Key, Pod};
use engine::Caches;

use super::ObservedClique;
use crate::PodCliqueSetReconciler;

/// The domains that a set has to have: by name its replica and its MNNVL group.
pub(crate) type Wanted = BTreeMap<String, (i32, String)>;

/// The inputs of decisions about ComputeDomains.
#[derive(Clone, Debug, Default)]
pub struct DomainFacts {
    /// Whether the operator's configuration asks for them. If not, nothing else is known.
    pub is_enabled: bool,
    /// Whether the cluster serves them.
    pub is_served: bool,
    /// Whether one may exist unseen: its POST was sent and is not settled.
    pub may_have_more: bool,
    /// Those that the set controls, and those whose label names it: it may adopt some, and lets go of
    /// those that an earlier set of its name has left in Terminating.
    pub found: Vec<Arc<ComputeDomain>>,
    /// A pod that names the template, by the template's name; read only if a domain may go.
    pub users: BTreeMap<String, String>,
}

impl DomainFacts {
    /// The domain of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<ComputeDomain>> {
        let mut all = self.found.iter();
        all.find(|domain| ownership::name(&domain.metadata) == name)
    }
}

/// Reads them if the configuration asks for them.
pub(super) fn observe(
    set: &PodCliqueSet,
    podcliques: &HashMap<String, ObservedClique>,
    rules: &PodCliqueSetReconciler,
    caches: &Caches,
) -> DomainFacts {
    if !rules.is_mnnvl_enabled {
        return DomainFacts::default();
    }
    let key = Key::of(&set.metadata);
    let uid = ownership::uid(&set.metadata);
    let domains = caches.of::<ComputeDomain>();
    // Read before the objects: the POST may be settled while they are read.
    let may_have_more = domains.may_have_more_of(uid);
    let mut found = domains.owned_by(set);
    let others = domains.part_of(&key).into_iter();
    found.extend(others.filter(|d| !ownership::is_controlled_by(&d.metadata, uid)));
    let wanted = wanted(set, podcliques);
    let may_go = |domain: &Arc<ComputeDomain>| {
        let meta = &domain.metadata;
        ownership::is_terminating(meta) || !wanted.contains_key(ownership::name(meta))
    };
    DomainFacts {
        is_enabled: true,
        is_served: caches.is_served::<ComputeDomain>(&key.namespace),
        may_have_more,
        users: if found.iter().any(may_go) {
            find_users(&key, podcliques, caches)
        } else {
            BTreeMap::new()
        },
        found,
    }
}

/// The domains of all replicas and of all PodCliques that exist: these keep their claim, also if their
/// clique is not enrolled any more.
pub(crate) fn wanted(set: &PodCliqueSet, podcliques: &HashMap<String, ObservedClique>) -> Wanted {
    let name = ownership::name(&set.metadata);
    let of_replicas = nvlink::domains(set, limits::bounded(set.spec.replicas)).into_iter();
    let of_replicas = of_replicas.map(|(domain, (i, group))| (domain, (i, group.to_owned())));
    let used = podcliques.values().filter_map(|clique| {
        let domain = domain_of(name, &clique.podclique.spec.pod_spec)?;
        let (i, group) = names::parts_of_compute_domain(name, domain)?;
        Some((domain.to_owned(), (i, group.to_owned())))
    });
    of_replicas.chain(used).collect()
}

/// Of the pods of its PodCliques, and of those whose label names the set: a PodClique may be gone before
/// its last pod. A pod that has ended uses nothing: it only keeps its logs.
fn find_users(
    set: &Key,
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> BTreeMap<String, String> {
    let labelled = caches.of::<Pod>().part_of(set);
    let own = podcliques.values().flat_map(|clique| &clique.pods);
    let all = labelled.iter().chain(own);
    let named = all.filter(|pod| !pod.is_finished()).flat_map(|pod| {
        let claims = pod.spec.resource_claims.iter();
        let ours = claims.filter(|claim| claim.name == MNNVL_CLAIM);
        let templates = ours.filter_map(|claim| claim.resource_claim_template_name.clone());
        templates.map(|template| (template, pod.name().to_owned()))
    });
    named.collect()
}
