//! The constraints of a set in the form of its PodGangs: node label keys instead of names of
//! levels.

use std::collections::BTreeMap;

use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::podgang::{GangTopologyConstraint, PackConstraint, TopologyConstraintGroupConfig};
use api::topology::TopologyConstraint;

use super::{Levels, Pack, pack_of};

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
    /// Those of its parts, by name.
    pub parts: BTreeMap<String, GangTopologyConstraint>,
}

impl GangTopology {
    /// Whether the gang has no constraint.
    pub fn is_empty(&self) -> bool {
        self.gang.is_none() && self.groups.is_empty() && self.parts.is_empty()
    }
}

/// Translates the constraints for a gang with these parts. The constraint of the set applies to a
/// base gang; a scaled gang has that of its scaling group, or else that of the set. A level that
/// `levels` lacks is left out.
pub fn translate(
    template: &PodCliqueSetTemplateSpec,
    is_scaled: bool,
    parts: &[GangPart<'_>],
    levels: &Levels,
) -> GangTopology {
    let keys = Keys { levels };
    let of_set = template.topology_constraint.as_ref();
    let of_group = |config: &str| {
        let mut groups = template.scaling_groups.iter();
        groups
            .find(|group| group.name == config)?
            .topology_constraint
            .as_ref()
    };
    let gang = if is_scaled {
        let group = parts.iter().find_map(|part| part.group.as_ref());
        group.and_then(|group| of_group(group.config)).or(of_set)
    } else {
        of_set
    };
    let groups = if is_scaled {
        Vec::new()
    } else {
        keys.group_configs(parts, of_group)
    };
    let of_clique = |part: &GangPart<'_>| {
        let mut cliques = template.cliques.iter();
        let clique = cliques.find(|clique| clique.name == part.clique)?;
        let constraint = keys.constraint(clique.topology_constraint.as_ref())?;
        Some((part.name.to_owned(), constraint))
    };
    GangTopology {
        gang: keys.constraint(gang),
        groups,
        parts: parts.iter().filter_map(of_clique).collect(),
    }
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

    /// One for each group replica whose group has a constraint, in the order of the parts.
    fn group_configs<'t>(
        &self,
        parts: &[GangPart<'_>],
        of_group: impl Fn(&str) -> Option<&'t TopologyConstraint>,
    ) -> Vec<TopologyConstraintGroupConfig> {
        let mut all: Vec<TopologyConstraintGroupConfig> = Vec::new();
        for part in parts {
            let Some(group) = &part.group else { continue };
            let Some(constraint) = self.constraint(of_group(group.config)) else {
                continue;
            };
            match all.iter_mut().find(|config| config.name == group.replica) {
                Some(config) => config.pod_group_names.push(part.name.to_owned()),
                None => all.push(TopologyConstraintGroupConfig {
                    name: group.replica.clone(),
                    pod_group_names: vec![part.name.to_owned()],
                    topology_constraint: Some(constraint),
                }),
            }
        }
        all
    }
}
