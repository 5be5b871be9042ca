//! The domains that the pods of a gang must share, by the set's topology constraints.

use std::collections::BTreeMap;

use api::topology::TopologyConstraint;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::workload::layout::LayoutSlot;

use super::gang::Pack;

/// The required levels of a set.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    of_set: Option<Level>,
    of_groups: BTreeMap<String, Level>,
    of_cliques: BTreeMap<String, Level>,
    /// Parts that the simulation ignores, with the reason.
    pub notes: Vec<String>,
}

/// Name of a level, and the key of its node label.
type Level = (String, String);

impl Topology {
    /// By the set's constraints and the existing bindings.
    pub fn of(set: &PodCliqueSet, bindings: &[ClusterTopologyBinding]) -> Self {
        let template = &set.spec.template;
        let groups = template
            .scaling_groups
            .iter()
            .map(|group| (&*group.name, group.topology_constraint.as_ref()));
        let cliques = template
            .cliques
            .iter()
            .map(|clique| (&*clique.name, clique.topology_constraint.as_ref()));
        let own = template.topology_constraint.as_ref();
        let all = groups.clone().chain(cliques.clone());
        // All constraints of a set name one topology.
        let named = own
            .into_iter()
            .chain(all.filter_map(|(_, c)| c))
            .find(|c| !c.topology_name.is_empty());
        let mut found = Finder::of(named, bindings);
        Self {
            of_set: found.level(own),
            of_groups: found.levels(groups),
            of_cliques: found.levels(cliques),
            notes: found.notes,
        }
    }

    /// Whether the pods must share a domain.
    pub fn is_required(&self) -> bool {
        self.of_set.is_some() || !self.of_groups.is_empty() || !self.of_cliques.is_empty()
    }

    /// The domains that the pods of a PodClique must share, and the sharing pods: a scaled gang is
    /// bound by the constraint of its group, and by that of the set only if the group has none
    /// (Grove).
    pub fn packs_of(&self, part: &LayoutSlot<'_>, is_scaled: bool) -> Vec<Pack> {
        let group = part.group.and_then(|g| self.of_groups.get(&g.name));
        let of_set = self
            .of_set
            .as_ref()
            .filter(|_| !is_scaled || group.is_none());
        let replica = part.group_replica.unwrap_or_default();
        let group_scope = part
            .group
            .map_or(String::new(), |g| format!("{}-{replica}", g.name));
        [
            ("gang".to_owned(), of_set),
            (format!("group {group_scope}"), group),
            (
                format!("podclique {}", part.name),
                self.of_cliques.get(part.clique),
            ),
        ]
        .into_iter()
        .filter_map(|(s, level)| Some((s, level?)))
        .map(|(scope, (level, key))| Pack {
            scope,
            level: level.clone(),
            key: key.clone(),
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
    fn of(named: Option<&TopologyConstraint>, bindings: &'a [ClusterTopologyBinding]) -> Self {
        let name = named.map(|c| &c.topology_name);
        let is_named = |b: &&ClusterTopologyBinding| b.metadata.name.as_ref() == name;
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
    ) -> BTreeMap<String, Level> {
        all.filter_map(|(name, constraint)| Some((name.to_owned(), self.level(constraint)?)))
            .collect()
    }

    fn level(&mut self, constraint: Option<&TopologyConstraint>) -> Option<Level> {
        let constraint = constraint?;
        let packed = constraint.pack.as_ref().map(|pack| &pack.required);
        let required = packed
            .filter(|r| !r.is_empty())
            .or(Some(&constraint.pack_domain))
            .filter(|domain| !domain.is_empty())?;
        let binding = self.binding?;
        let level = binding.spec.levels.iter().find(|l| l.domain == *required);
        if level.is_none() {
            let name = binding.metadata.name.as_deref().unwrap_or_default();
            let note = format!(
                "ClusterTopologyBinding {name} has no level {required}: it is not considered"
            );
            self.notes.push(note);
        }
        level.map(|l| (l.domain.clone(), l.key.clone()))
    }
}
