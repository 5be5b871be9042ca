//! The domains that the pods of a gang must share, by the set's topology constraints.

use std::collections::BTreeMap;

use api::topology::TopologyConstraint;
use api::{ClusterTopologyBinding, PodCliqueSet, names};
use domain::object::ownership;
use domain::topology::{Levels, binding_name, pack_of};
use domain::workload::layout::LayoutSlot;

use super::gang::Pack;

/// The required levels of a set, each with those above it.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    of_set: Option<Levels>,
    of_all_replicas: BTreeMap<String, Levels>,
    of_groups: BTreeMap<String, Levels>,
    of_cliques: BTreeMap<String, Levels>,
    /// Parts that the simulation ignores, with the reason.
    pub notes: Vec<String>,
}

impl Topology {
    /// By the set's constraints and the existing bindings.
    pub fn of(set: &PodCliqueSet, bindings: &[ClusterTopologyBinding]) -> Self {
        let template = &set.spec.template;
        let groups = template.scaling_groups.iter();
        let of_all = groups.clone().map(|group| {
            let constraint = group.all_replicas_topology_constraint.as_ref();
            (&*group.name, constraint)
        });
        let groups = groups.map(|group| (&*group.name, group.topology_constraint.as_ref()));
        let cliques = template.cliques.iter();
        let cliques = cliques.map(|clique| (&*clique.name, clique.topology_constraint.as_ref()));
        // All constraints of a set name one topology.
        let mut found = Finder::of(binding_name(template), bindings);
        Self {
            of_set: found.level(template.topology_constraint.as_ref()),
            of_all_replicas: found.levels(of_all),
            of_groups: found.levels(groups),
            of_cliques: found.levels(cliques),
            notes: found.notes,
        }
    }

    /// The domains that the pods of a PodClique must share, and the sharing pods: those of a replica
    /// of the set, its scaled gangs included, of all replicas of a scaling group in it, of a group
    /// replica, of the PodClique.
    pub fn packs_of(&self, set: &str, part: &LayoutSlot<'_>) -> Vec<Pack> {
        let name_of = |group: &str| names::scaling_group(set, part.replica, group);
        let all = part.group.map(|group| {
            let levels = self.of_all_replicas.get(&group.name);
            (format!("scaling group {}", name_of(&group.name)), levels)
        });
        let group = part.group.map(|group| {
            let name = name_of(&group.name);
            let replica = part.group_replica.unwrap_or_default();
            let levels = self.of_groups.get(&group.name);
            (format!("group replica {name}-{replica}"), levels)
        });
        let of_set = (format!("replica {}", part.replica), self.of_set.as_ref());
        let of_clique = self.of_cliques.get(part.clique);
        let own = (format!("PodClique {}", part.name), of_clique);
        [Some(of_set), all, group, Some(own)]
            .into_iter()
            .flatten()
            .filter_map(|(scope, levels)| {
                let levels = levels?.clone();
                Some(Pack { scope, levels })
            })
            .collect()
    }
}

/// Looks levels up.
struct Finder<'a> {
    binding: Option<&'a ClusterTopologyBinding>,
    notes: Vec<String>,
}

impl<'a> Finder<'a> {
    fn of(name: Option<&str>, bindings: &'a [ClusterTopologyBinding]) -> Self {
        let is_named = |b: &&ClusterTopologyBinding| Some(ownership::name(&b.metadata)) == name;
        let binding = bindings.iter().find(is_named).filter(|_| name.is_some());
        let missing = name.filter(|_| binding.is_none());
        let note = |name| {
            format!(
                "ClusterTopologyBinding {name} was not read: constraints by it are not considered"
            )
        };
        Self {
            binding,
            notes: missing.map(note).into_iter().collect(),
        }
    }

    fn levels<'b>(
        &mut self,
        all: impl Iterator<Item = (&'b str, Option<&'b TopologyConstraint>)>,
    ) -> BTreeMap<String, Levels> {
        all.filter_map(|(name, constraint)| Some((name.to_owned(), self.level(constraint)?)))
            .collect()
    }

    fn level(&mut self, constraint: Option<&TopologyConstraint>) -> Option<Levels> {
        let required = pack_of(constraint).required?;
        let binding = self.binding?;
        let levels = Levels::of(binding);
        let position = levels.position(required);
        if position.is_none() {
            let name = ownership::name(&binding.metadata);
            let note = format!(
                "ClusterTopologyBinding {name} has no level {required}: it is not considered"
            );
            self.notes.push(note);
        }
        Some(levels.down_to(position?))
    }
}
