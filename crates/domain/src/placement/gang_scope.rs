//! The scopes of a gang: parts whose pods have to, or should, share a topology domain.

use api::PodGang;
use api::podgang::{GangTopologyConstraint, PackConstraint, TopologyConstraintGroupConfig};

/// Parts of a gang with a topology constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangScope<'a> {
    /// The owner of the constraint.
    pub owner: ScopeOwner<'a>,
    /// Names of the parts.
    pub parts: Vec<&'a str>,
    /// Key of the node label whose value all pods have to share, if one is required.
    pub required: Option<&'a str>,
}

/// What has a topology constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeOwner<'a> {
    /// The gang: a replica of the set, or in a scaled gang its group replica.
    Gang,
    /// All replicas of a scaling group in a base gang, by the name of the PodCliqueScalingGroup.
    ScalingGroup(&'a str),
    /// A group replica of a base gang, by name.
    Group(&'a str),
    /// A part, by the name of its PodClique.
    Part(&'a str),
}

/// The scopes of a gang, outermost first.
pub fn scopes_of(gang: &PodGang) -> Vec<GangScope<'_>> {
    let parts = &gang.spec.pod_groups;
    let whole = find_pack(gang.spec.topology_constraint.as_ref()).map(|pack| {
        let names = parts.iter().map(|part| part.name.as_str());
        scope(ScopeOwner::Gang, names.collect(), pack)
    });
    let spec = &gang.spec;
    let scaling_groups = spec.scaling_group_topology_constraints.iter();
    let scaling_groups =
        scaling_groups.filter_map(|config| of_config(ScopeOwner::ScalingGroup, config));
    let replicas = spec.topology_constraint_group_configs.iter();
    let replicas = replicas.filter_map(|config| of_config(ScopeOwner::Group, config));
    let groups = scaling_groups.chain(replicas);
    let own = parts.iter().filter_map(|part| {
        let pack = find_pack(part.topology_constraint.as_ref())?;
        let name = part.name.as_str();
        Some(scope(ScopeOwner::Part(name), vec![name], pack))
    });
    whole.into_iter().chain(groups).chain(own).collect()
}

/// Whether pods of the gang have to share a topology domain.
pub fn requires_domain(gang: &PodGang) -> bool {
    let spec = &gang.spec;
    let configs = spec
        .topology_constraint_group_configs
        .iter()
        .chain(&spec.scaling_group_topology_constraints);
    let parts = spec.pod_groups.iter();
    spec.topology_constraint
        .iter()
        .chain(configs.filter_map(|config| config.topology_constraint.as_ref()))
        .chain(parts.filter_map(|part| part.topology_constraint.as_ref()))
        .filter_map(|constraint| constraint.pack_constraint.as_ref())
        .any(|pack| pack.required.is_some())
}

fn of_config<'a>(
    owner: fn(&'a str) -> ScopeOwner<'a>,
    config: &'a TopologyConstraintGroupConfig,
) -> Option<GangScope<'a>> {
    let pack = find_pack(config.topology_constraint.as_ref())?;
    let names = config.pod_group_names.iter().map(String::as_str);
    Some(scope(owner(&config.name), names.collect(), pack))
}

fn scope<'a>(
    owner: ScopeOwner<'a>,
    parts: Vec<&'a str>,
    pack: &'a PackConstraint,
) -> GangScope<'a> {
    GangScope {
        owner,
        parts,
        required: pack.required.as_deref(),
    }
}

/// The constraint, if it names a level.
fn find_pack(constraint: Option<&GangTopologyConstraint>) -> Option<&PackConstraint> {
    let pack = constraint?.pack_constraint.as_ref()?;
    let names_level = pack.required.is_some() || pack.preferred.is_some();
    names_level.then_some(pack)
}
