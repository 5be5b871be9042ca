//! The ComputeDomain that the pods of the PodClique join.

use std::sync::Arc;

use api::nvidia::ComputeDomain;
use api::{PodClique, PodCliqueSet};
use domain::Key;
use domain::object::ownership;
use domain::workload::clique::domain_of;
use engine::Caches;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;

use crate::PodCliqueReconciler;

/// A domain, and its ResourceClaimTemplate, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct DomainFacts {
    /// The name of both.
    pub name: String,
    /// Whether the operator's configuration enables ComputeDomains. If not, only the template counts.
    pub is_enabled: bool,
    /// Whether the cluster serves them.
    pub is_served: bool,
    /// The domain, if it exists.
    pub domain: Option<Arc<ComputeDomain>>,
    /// Whether the template exists and stays.
    pub has_template: bool,
}

/// Reads it, if pods join one.
pub(super) fn observe(
    podclique: &PodClique,
    set: Option<&PodCliqueSet>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> Option<DomainFacts> {
    let name = domain_of(ownership::name(&set?.metadata), &podclique.spec.pod_spec)?;
    let namespace = podclique.metadata.namespace.clone().unwrap_or_default();
    let key = Key::new(namespace, name);
    let template = caches.of::<ResourceClaimTemplate>().get(&key);
    Some(DomainFacts {
        name: name.to_owned(),
        is_enabled: rules.is_mnnvl_enabled,
        is_served: caches.is_served::<ComputeDomain>(&key.namespace),
        domain: caches.of::<ComputeDomain>().get(&key),
        has_template: template.is_some_and(|found| !ownership::is_terminating(&found.metadata)),
    })
}
