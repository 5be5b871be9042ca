//! The entries of all lists and maps of a set together. Rules read each entry, and an error may
//! quote it.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec};

use super::single::SPLIT;
use crate::field::{FieldError, Path};

/// Forty for each of as many cliques as there may be.
pub(super) const MAX_ENTRIES: usize = 20_000;

/// Entries that are too many together.
pub(super) fn check_entries(set: &PodCliqueSet) -> Vec<FieldError> {
    let count = of_set(set);
    let error = (count > MAX_ENTRIES).then(|| too_many(count));
    error.into_iter().collect()
}

pub(super) fn too_many(count: usize) -> FieldError {
    let problem =
        format!("entries of all lists and maps are too many, at most {MAX_ENTRIES} are allowed");
    Path::new("spec")
        .wrong(count, problem, SPLIT)
        .counting("entries", count)
}

fn of_set(set: &PodCliqueSet) -> usize {
    let spec = &set.spec.template;
    let own = [&set.metadata.labels, &set.metadata.annotations]
        .into_iter()
        .flatten()
        .map(BTreeMap::len);
    let filters = spec.resource_sharing.iter().map(|entry| {
        let filter = entry.filter.as_ref();
        filter.map_or(1, |f| {
            f.child_clique_names.len() + f.child_scaling_group_names.len() + 1
        })
    });
    let templates = spec.resource_claim_templates.len();
    let cliques = spec.cliques.iter().map(of_clique);
    let groups = spec.scaling_groups.iter().map(of_group);
    own.chain(filters)
        .chain([templates])
        .chain(cliques)
        .chain(groups)
        .fold(0, usize::saturating_add)
}

fn of_clique(clique: &PodCliqueTemplateSpec) -> usize {
    let counts = [
        clique.labels.len(),
        clique.annotations.len(),
        clique.resource_sharing.len(),
        clique.spec.starts_after.len(),
        of_pod(&clique.spec.pod_spec),
    ];
    counts.into_iter().fold(0, usize::saturating_add)
}

fn of_group(group: &PodCliqueScalingGroupConfig) -> usize {
    let filters = group.resource_sharing.iter().map(|entry| {
        let filter = entry.filter.as_ref();
        filter.map_or(1, |f| f.child_clique_names.len() + 1)
    });
    let own = [group.annotations.len(), group.clique_names.len()];
    own.into_iter()
        .chain(filters)
        .fold(0, usize::saturating_add)
}

fn of_pod(pod: &PodSpec) -> usize {
    let containers = pod
        .containers
        .iter()
        .chain(pod.init_containers.iter().flatten());
    let variables = |c: &Container| c.env.as_ref().map_or(0, Vec::len);
    let spread = pod.topology_spread_constraints.as_ref();
    let own = [
        pod.volumes.as_ref().map_or(0, Vec::len),
        spread.map_or(0, Vec::len),
    ];
    own.into_iter()
        .chain(containers.map(|c| variables(c) + 1))
        .fold(0, usize::saturating_add)
}
