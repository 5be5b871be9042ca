//! Parts of sets about which the operator's configuration decides. Without it they are accepted.

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use domain::scheduling::quota;
use domain::topology::has_constraints;
use domain::workload::{claims, nvlink};

/// Those that the set has.
pub(super) fn find_assumed(set: &PodCliqueSet) -> Vec<&'static str> {
    let template = &set.spec.template;
    let own = set.metadata.namespace.as_deref();
    let is_elsewhere =
        |entry: &ResourceSharing| !entry.namespace.is_empty() && own != Some(&*entry.namespace);
    let mut cliques = template.cliques.iter();
    let parts = [
        ("topology constraints", has_constraints(template)),
        (
            "queues of Kueue",
            quota::local_queue(&set.metadata).is_some(),
        ),
        ("MNNVL groups", !nvlink::enrolled_groups(set).is_empty()),
        (
            "ResourceClaimTemplates of other namespaces",
            claims::entries(template).any(is_elsewhere),
        ),
        (
            "schedulerName",
            cliques.any(|clique| clique.spec.pod_spec.scheduler_name.is_some()),
        ),
    ];
    let used = parts.into_iter().filter(|(_, is_used)| *is_used);
    used.map(|(part, _)| part).collect()
}
