//! Finds one PodClique of a set by its slot or its name.

use api::names;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec};

use super::LayoutSlot;

/// The PodClique of a clique that is in no scaling group.
pub(in crate::workload) fn standalone_part<'a>(
    set: &str,
    i: i32,
    clique: &'a str,
) -> LayoutSlot<'a> {
    LayoutSlot {
        name: names::standalone_clique(set, i, clique),
        replica: i,
        clique,
        group: None,
        group_replica: None,
    }
}

/// The PodClique of a clique in replica `j` of the group of that object name.
pub fn grouped_part<'a>(
    group: &str,
    config: &'a PodCliqueScalingGroupConfig,
    i: i32,
    j: i32,
    clique: &'a str,
) -> LayoutSlot<'a> {
    LayoutSlot {
        name: names::grouped_clique(group, j, clique),
        replica: i,
        clique,
        group: Some(config),
        group_replica: Some(j),
    }
}

/// The PodClique of exactly this name. Comparing ends of names would take `gpu-worker` for
/// `worker`, and labels can be edited.
pub fn find<'a>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    name: &str,
) -> Option<LayoutSlot<'a>> {
    let (i, rest) = names::parts_of_standalone_clique(set, name)?;
    let mut cliques = template.cliques.iter();
    let named = cliques.find(|c| c.name == rest);
    if let Some(clique) = named.filter(|c| group_of(template, &c.name).is_none()) {
        return Some(standalone_part(set, i, &clique.name));
    }
    template.scaling_groups.iter().find_map(|config| {
        let group = names::scaling_group(set, i, &config.name);
        let (j, member) = names::parts_of_grouped_clique(&group, name)?;
        let clique = config.clique_names.iter().find(|c| *c == member)?;
        Some(grouped_part(&group, config, i, j, clique))
    })
}

/// The scaling group whose object has this name, and the replica of the set that it is in.
pub fn find_group<'a>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    name: &str,
) -> Option<(&'a PodCliqueScalingGroupConfig, i32)> {
    let (i, group) = names::parts_of_scaling_group(set, name)?;
    let mut groups = template.scaling_groups.iter();
    Some((groups.find(|g| g.name == group)?, i))
}

/// The scaling group that a clique is in.
pub fn group_of<'a>(
    template: &'a PodCliqueSetTemplateSpec,
    clique: &str,
) -> Option<&'a PodCliqueScalingGroupConfig> {
    let mut groups = template.scaling_groups.iter();
    groups.find(|g| g.clique_names.iter().any(|name| name == clique))
}
