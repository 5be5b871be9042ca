//! The constraints of a set in the form of its PodGangs: node label keys instead of names of
//! levels.

use std::collections::BTreeMap;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec};
use api::podgang::{GangTopologyConstraint, PackConstraint, TopologyConstraintGroupConfig};
use api::topology::TopologyConstraint;

use super::{Levels, Pack, pack_of, requires_several};

/// A part of a gang that is not idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangPart<'a> {
    /// Name of its PodClique.
    pub name: &'a str,
    /// Name of its clique in the template.
    pub clique: &'a str,
    /// The group replica that it belongs to.
    pub group: Option<GroupOfPart<'a>>,
}

/// The replica of a scaling group that a part belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOfPart<'a> {
    /// Name of the group in the template.
    pub config: &'a str,
    /// Name of the PodCliqueScalingGroup.
    pub name: String,
    /// Name of the PodCliqueScalingGroup, and index of the replica: `<group>-<replica>`.
    pub replica: String,
}

/// The constraints of one PodGang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GangTopology {
    /// That of the whole gang.
    pub gang: Option<GangTopologyConstraint>,
    /// Those of group replicas in it.
    pub groups: Vec<TopologyConstraintGroupConfig>,
    /// Those of all replicas of a scaling group in it.
    pub scaling_groups: Vec<TopologyConstraintGroupConfig>,
    /// Those of its parts, by name.
    pub parts: BTreeMap<String, GangTopologyConstraint>,
}

impl GangTopology {
    /// Whether the gang has no constraint.
    pub fn is_empty(&self) -> bool {
        let groups = self.groups.iter().chain(&self.scaling_groups);
        self.gang.is_none() && self.parts.is_empty() && groups.count() == 0
    }
}

/// Translates the constraints for a gang with these parts. The constraint of the set applies to a
/// base gang; a scaled gang has that of its scaling group, or else that of the set. A level that
/// `levels` lacks is left out.
///
/// The constraint of all replicas of a scaling group applies to those in a base gang, where a single
/// one has it as its own; those in scaled gangs join them by pins.
pub fn translate(
    template: &PodCliqueSetTemplateSpec,
    is_scaled: bool,
    parts: &[GangPart<'_>],
    levels: &Levels,
) -> GangTopology {
    let keys = Keys { levels };
    let of_set = template.topology_constraint.as_ref();
    let find_group = |config: &str| {
        let mut groups = template.scaling_groups.iter();
        groups.find(|group| group.name == config)
    };
    let gang = if is_scaled {
        let group = parts.iter().find_map(|part| part.group.as_ref());
        let group = group.and_then(|group| find_group(group.config));
        match group.filter(|group| has_own(group)) {
            Some(group) => keys.of_scaled_gang(group),
            None => keys.constraint(of_set),
        }
    } else {
        keys.constraint(of_set)
    };
    let in_base: &[GangPart<'_>] = if is_scaled { &[] } else { parts };
    let of_replica = |part: &GroupOfPart<'_>| {
        let constraint = keys.of_group_replica(find_group(part.config)?)?;
        Some((part.replica.clone(), constraint))
    };
    let of_replicas = |part: &GroupOfPart<'_>| {
        let group = find_group(part.config).filter(|group| requires_several(group))?;
        let constraint = keys.constraint(group.all_replicas_topology_constraint.as_ref())?;
        Some((part.name.clone(), constraint))
    };
    let of_clique = |part: &GangPart<'_>| {
        let mut cliques = template.cliques.iter();
        let clique = cliques.find(|clique| clique.name == part.clique)?;
        let constraint = keys.constraint(clique.topology_constraint.as_ref())?;
        Some((part.name.to_owned(), constraint))
    };
    GangTopology {
        gang,
        groups: collect_configs(in_base, of_replica),
        scaling_groups: collect_configs(in_base, of_replicas),
        parts: parts.iter().filter_map(of_clique).collect(),
    }
}

fn has_own(group: &PodCliqueScalingGroupConfig) -> bool {
    group.topology_constraint.is_some() || group.all_replicas_topology_constraint.is_some()
}

/// Translates names of levels.
struct Keys<'a> {
    levels: &'a Levels,
}

impl Keys<'_> {
    fn constraint(&self, given: Option<&TopologyConstraint>) -> Option<GangTopologyConstraint> {
        let Pack {
            required,
            preferred,
        } = pack_of(given);
        let key = |domain: Option<&str>| self.levels.key(domain?).map(str::to_owned);
        let pack = PackConstraint {
            required: key(required),
            preferred: key(preferred),
        };
        (pack != PackConstraint::default()).then_some(GangTopologyConstraint {
            pack_constraint: Some(pack),
        })
    }

    /// That of a group replica in a base gang. The only one of its group stands for all replicas.
    fn of_group_replica(
        &self,
        group: &PodCliqueScalingGroupConfig,
    ) -> Option<GangTopologyConstraint> {
        let of_all = group.all_replicas_topology_constraint.as_ref();
        let of_all = self.constraint(of_all.filter(|_| !requires_several(group)));
        merge(self.constraint(group.topology_constraint.as_ref()), of_all)
    }

    /// That of a scaled gang, whose pods share the domain of all replicas in any case.
    fn of_scaled_gang(
        &self,
        group: &PodCliqueScalingGroupConfig,
    ) -> Option<GangTopologyConstraint> {
        let of_all = self.constraint(group.all_replicas_topology_constraint.as_ref());
        merge(self.constraint(group.topology_constraint.as_ref()), of_all)
    }
}

/// The inner constraint, with the levels of the outer one that it does not name.
fn merge(
    inner: Option<GangTopologyConstraint>,
    outer: Option<GangTopologyConstraint>,
) -> Option<GangTopologyConstraint> {
    let packs = [&inner, &outer].map(|constraint| constraint.as_ref()?.pack_constraint.clone());
    let [Some(own), Some(around)] = packs else {
        return inner.or(outer);
    };
    Some(GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: own.required.or(around.required),
            preferred: own.preferred.or(around.preferred),
        }),
    })
}

/// The constraints of groups of parts, in the order of the parts. `constraint_of` returns the name of
/// a group and its constraint.
fn collect_configs(
    parts: &[GangPart<'_>],
    constraint_of: impl Fn(&GroupOfPart<'_>) -> Option<(String, GangTopologyConstraint)>,
) -> Vec<TopologyConstraintGroupConfig> {
    let mut all: Vec<TopologyConstraintGroupConfig> = Vec::new();
    for part in parts {
        let found = part.group.as_ref().and_then(&constraint_of);
        let Some((name, constraint)) = found else {
            continue;
        };
        match all.iter_mut().find(|config| config.name == name) {
            Some(config) => config.pod_group_names.push(part.name.to_owned()),
            None => all.push(TopologyConstraintGroupConfig {
                name,
                pod_group_names: vec![part.name.to_owned()],
                topology_constraint: Some(constraint),
            }),
        }
    }
    all
}
