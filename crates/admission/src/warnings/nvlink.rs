//! MNNVL groups that no pod is in: a ComputeDomain is for pods with GPUs only.

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;
use domain::workload::nvlink;

use super::Warning;
use crate::clique_paths::{cliques, group_of, mnnvl_group_in, mnnvl_groups, scaling_groups};
use crate::field::Path;

const OF_CLIQUE: &str = "has no effect: no container that it is for requests nvidia.com/gpu or uses a \
                         resource claim";

/// Claims count only where the clique itself has the annotation.
const OF_OTHERS: &str = "has no effect: no container that it is for requests nvidia.com/gpu; for those that \
                         only use resource claims, annotate the clique itself";

/// Annotations from which no clique with GPUs takes its group.
pub(super) fn check(pcs: &PodCliqueSet) -> Vec<Warning> {
    let used = find_used(pcs);
    let own: Vec<Path> = cliques(pcs).map(|(at, _)| mnnvl_group_in(&at)).collect();
    mnnvl_groups(pcs)
        .filter(|(at, _)| !used.contains(at))
        .map(|(at, _)| {
            Warning::new(
                &at,
                if own.contains(&at) {
                    OF_CLIQUE
                } else {
                    OF_OTHERS
                },
            )
        })
        .collect()
}

/// The annotations from which enrolled cliques take their group: the first one upwards counts.
fn find_used(pcs: &PodCliqueSet) -> Vec<Path> {
    let enrolled = cliques(pcs)
        .filter(|(_, clique)| nvlink::enrolled_group(pcs, clique, &clique.spec.pod_spec).is_some());
    let of_group = |clique: &str| {
        let own = group_of(pcs, clique)?;
        let found = scaling_groups(pcs).find(|(_, group)| group.name == own.name);
        found.filter(|(_, group)| group.annotations.contains_key(MNNVL_GROUP))
    };
    enrolled
        .map(|(at, clique)| {
            if clique.annotations.contains_key(MNNVL_GROUP) {
                return mnnvl_group_in(&at);
            }
            let group = of_group(&clique.name).map(|(at, _)| at);
            mnnvl_group_in(&group.unwrap_or_else(|| Path::new("metadata")))
        })
        .collect()
}
