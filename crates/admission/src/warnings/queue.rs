//! Sets that name a queue of Kueue.

use api::PodCliqueSet;
use api::kueue::{POD_SETS, keys};
use domain::workload::claims;

use super::Warning;
use crate::clique_paths::{cliques, template};
use crate::field::Path;
use crate::rules::{Rules, queue_of};

/// Parts of the set that some versions of Kueue refuse, or that it does not count.
pub(super) fn check(pcs: &PodCliqueSet, rules: &Rules) -> Vec<Warning> {
    if queue_of(pcs, rules).is_none() {
        return Vec::new();
    }
    let count = pcs.spec.template.cliques.len();
    let many = (count > POD_SETS).then(|| {
        let text = format!(
            "a gang with {count} cliques is refused by versions of Kueue that let a Workload have \
             {POD_SETS} kinds of pods"
        );
        Warning::new(&template().field("cliques"), text)
    });
    let claimed = uses_claims(pcs).then(|| {
        let text = "Kueue reserves no quota for resource claims: limit them by a ResourceQuota";
        Warning::new(&Path::new("metadata.labels").key(keys::QUEUE), text)
    });
    many.into_iter().chain(claimed).collect()
}

fn uses_claims(pcs: &PodCliqueSet) -> bool {
    let mut own = cliques(pcs).filter_map(|(_, c)| c.spec.pod_spec.resource_claims.as_ref());
    claims::has_sharing(&pcs.spec.template) || own.any(|claims| !claims.is_empty())
}
