//! Where the cliques and scaling groups of a set are in the object.

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};

use crate::field::Path;

pub(crate) fn template() -> Path {
    Path::new("spec").field("template")
}

/// The cliques with their places in the object.
pub(crate) fn cliques(pcs: &PodCliqueSet) -> impl Iterator<Item = (Path, &PodCliqueTemplateSpec)> {
    let list = template().field("cliques");
    let cliques = pcs.spec.template.cliques.iter().enumerate();
    cliques.map(move |(i, clique)| (list.index(i), clique))
}

/// The scaling groups with their places in the object.
pub(crate) fn scaling_groups(
    pcs: &PodCliqueSet,
) -> impl Iterator<Item = (Path, &PodCliqueScalingGroupConfig)> {
    let list = template().field("podCliqueScalingGroups");
    let groups = pcs.spec.template.scaling_groups.iter().enumerate();
    groups.map(move |(i, group)| (list.index(i), group))
}

/// The scaling group that a clique is in.
pub(crate) fn group_of<'a>(
    pcs: &'a PodCliqueSet,
    clique: &str,
) -> Option<&'a PodCliqueScalingGroupConfig> {
    let groups = &pcs.spec.template.scaling_groups;
    groups
        .iter()
        .find(|group| group.clique_names.iter().any(|name| name == clique))
}

/// Whether the set has a clique of that name.
pub(crate) fn has_clique(pcs: &PodCliqueSet, name: &str) -> bool {
    pcs.spec
        .template
        .cliques
        .iter()
        .any(|clique| clique.name == name)
}
