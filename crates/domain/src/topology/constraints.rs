//! The topology constraints of a template, as its author wrote them.

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec};
use api::topology::TopologyConstraint;

/// The levels that one constraint names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pack<'a> {
    /// The level whose domain all pods have to share.
    pub required: Option<&'a str>,
    /// The level whose domain the pods should share.
    pub preferred: Option<&'a str>,
}

/// The levels of a constraint; the deprecated `packDomain` counts as `pack.required`.
pub fn pack_of(constraint: Option<&TopologyConstraint>) -> Pack<'_> {
    let Some(constraint) = constraint else {
        return Pack::default();
    };
    let pack = constraint.pack.as_ref();
    let required = pack.and_then(|pack| given(&pack.required));
    Pack {
        required: required.or(given(&constraint.pack_domain)),
        preferred: pack.and_then(|pack| given(&pack.preferred)),
    }
}

/// Name of the ClusterTopologyBinding: the first that a constraint of the set, of a scaling group
/// or of a clique names.
pub fn binding_name(template: &PodCliqueSetTemplateSpec) -> Option<&str> {
    constraints(template).find_map(|constraint| given(&constraint.topology_name))
}

/// Whether the template has any constraint.
pub fn has_constraints(template: &PodCliqueSetTemplateSpec) -> bool {
    constraints(template).next().is_some()
}

/// The levels that constraints of the template require, and those that they prefer, each in the
/// order of the template and possibly several times.
pub fn named_domains(template: &PodCliqueSetTemplateSpec) -> (Vec<&str>, Vec<&str>) {
    let packs = || constraints(template).map(|constraint| pack_of(Some(constraint)));
    let required = packs().filter_map(|pack| pack.required);
    let preferred = packs().filter_map(|pack| pack.preferred);
    (required.collect(), preferred.collect())
}

/// All constraints, outermost first.
fn constraints(template: &PodCliqueSetTemplateSpec) -> impl Iterator<Item = &TopologyConstraint> {
    let groups = template.scaling_groups.iter();
    let cliques = template.cliques.iter();
    template
        .topology_constraint
        .iter()
        .chain(groups.flat_map(of_group))
        .chain(cliques.filter_map(|clique| clique.topology_constraint.as_ref()))
}

/// Those of a scaling group, outermost first.
fn of_group(group: &PodCliqueScalingGroupConfig) -> impl Iterator<Item = &TopologyConstraint> {
    let of_all = group.all_replicas_topology_constraint.iter();
    of_all.chain(&group.topology_constraint)
}

/// Whether the base gang has several replicas of the group.
pub fn requires_several(group: &PodCliqueScalingGroupConfig) -> bool {
    group.min_available.unwrap_or(1) > 1
}

fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
