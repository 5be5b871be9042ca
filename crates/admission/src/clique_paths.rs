//! Where the cliques and scaling groups of a set, their annotations and their entries of `resourceSharing`
//! are in the object.

use std::collections::BTreeMap;
use std::iter;

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::resources::ResourceSharing;
use domain::workload::nvlink;

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

/// The annotations of the set, its cliques and its scaling groups, with their places.
pub(crate) fn annotations(
    pcs: &PodCliqueSet,
) -> impl Iterator<Item = (Path, &BTreeMap<String, String>)> {
    let own = pcs.metadata.annotations.iter();
    let own = own.map(|annotations| (Path::new("metadata.annotations"), annotations));
    let of_cliques =
        cliques(pcs).map(|(at, clique)| (at.field("annotations"), &clique.annotations));
    let of_groups =
        scaling_groups(pcs).map(|(at, group)| (at.field("annotations"), &group.annotations));
    own.chain(of_cliques).chain(of_groups)
}

/// Those of them that name an MNNVL group, with their places.
pub(crate) fn mnnvl_groups(pcs: &PodCliqueSet) -> impl Iterator<Item = (Path, &str)> {
    annotations(pcs).filter_map(|(at, annotations)| {
        let group = annotations.get(MNNVL_GROUP).map(String::as_str);
        let group = group.filter(|group| *group != nvlink::NONE)?;
        Some((at.key(MNNVL_GROUP), group))
    })
}

/// The place of that annotation in the object at this place.
pub(crate) fn mnnvl_group_in(at: &Path) -> Path {
    at.field("annotations").key(MNNVL_GROUP)
}

/// Each list `resourceSharing` with its place: of the set, of its scaling groups and of its cliques.
pub(crate) fn sharing_lists(
    pcs: &PodCliqueSet,
) -> impl Iterator<Item = (Path, Vec<&ResourceSharing>)> {
    let own = pcs.spec.template.resource_sharing.iter();
    let own: Vec<_> = own.map(|entry| &entry.sharing).collect();
    let of_groups = scaling_groups(pcs).map(|(at, group)| {
        let entries = group.resource_sharing.iter();
        let entries: Vec<_> = entries.map(|entry| &entry.sharing).collect();
        (at, entries)
    });
    let of_cliques = cliques(pcs).map(|(at, clique)| {
        let entries: Vec<_> = clique.resource_sharing.iter().collect();
        (at, entries)
    });
    iter::once((template(), own))
        .chain(of_groups)
        .chain(of_cliques)
        .map(|(at, entries)| (at.field("resourceSharing"), entries))
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
