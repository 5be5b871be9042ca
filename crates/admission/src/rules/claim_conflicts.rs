//! Claims of a pod template that have the name of a shared claim: the pod has one list of both.

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodCliqueSet, names};
use domain::object::ownership;
use domain::workload::layout::LayoutSlot;
use domain::workload::{claims, layout};

use crate::clique_paths::{cliques, group_of};
use crate::field::FieldError;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let set = ownership::name(&pcs.metadata);
    if set.is_empty() || !claims::has_sharing(&pcs.spec.template) {
        return Vec::new();
    }
    cliques(pcs)
        .flat_map(|(at, clique)| {
            let own = clique.spec.pod_spec.resource_claims.iter().flatten();
            let at = at.field("spec").field("podSpec").field("resourceClaims");
            own.enumerate().filter_map(move |(i, claim)| {
                let at = at.index(i).field("name");
                let problem = "is the name of a shared claim";
                is_shared(pcs, set, clique, &claim.name)
                    .then(|| at.wrong(&claim.name, problem, "rename it"))
            })
        })
        .collect()
}

/// Whether some pod of the clique would get a claim of this name.
fn is_shared(pcs: &PodCliqueSet, set: &str, clique: &PodCliqueTemplateSpec, name: &str) -> bool {
    let template = &pcs.spec.template;
    let Some((slot, index)) = find_slot(pcs, set, clique, name) else {
        return false;
    };
    let mut wanted = claims::of_pod(set, template, &slot, index).into_iter();
    wanted.any(|wanted| wanted.name == name)
}

/// The PodClique, and the index of its pod, to which a claim of this name belongs, if one does.
fn find_slot<'a>(
    pcs: &'a PodCliqueSet,
    set: &str,
    clique: &PodCliqueTemplateSpec,
    name: &str,
) -> Option<(LayoutSlot<'a>, i32)> {
    let i = names::parts_of_scaling_group(set, name).map_or(0, |(i, _)| i);
    let podclique = match group_of(pcs, &clique.name) {
        Some(group) => {
            let group = names::scaling_group(set, i, &group.name);
            let j = names::parts_of_grouped_clique(&group, name).map_or(0, |(j, _)| j);
            names::grouped_clique(&group, j, &clique.name)
        }
        None => names::standalone_clique(set, i, &clique.name),
    };
    let index = names::parts_of_replica_claim(&podclique, name).map_or(0, |(k, _)| k);
    let slot = layout::find(set, &pcs.spec.template, &podclique)?;
    Some((slot, index))
}
