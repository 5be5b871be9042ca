//! Values of node labels that name several domains of a required level. A domain is a path of
//! values, and Kubernetes compares the value of one label only: where rack `r1` is in two zones, it
//! would place pods that have to share a rack in both.

use std::collections::{BTreeMap, BTreeSet};

use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::topology::TopologyConstraint;

use super::levels::in_plural;
use super::{Levels, pack_of};
use crate::Node;

/// A value that nodes in two domains of the level above have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousValue {
    /// Name of the required level.
    pub level: String,
    /// The value.
    pub value: String,
    /// Name of the level above.
    pub parent_level: String,
    /// Two domains of that level, `z0/r1` with the values of all levels down to it.
    pub parents: [String; 2],
    /// Keys of the node labels of both levels, the broader one first.
    pub keys: [String; 2],
    /// Whether a constraint around this one could require the level above.
    pub may_be_enclosed: bool,
}

impl AmbiguousValue {
    /// The cause with the remedy, for people.
    pub fn describe(&self) -> String {
        let (level, value, [first, second]) = (&self.level, &self.value, &self.parents);
        let parents = in_plural(&self.parent_level);
        let keys = self.keys.join(",");
        let outside = if self.may_be_enclosed {
            let parent = &self.parent_level;
            format!(", or create the set again with pack.required: {parent} outside")
        } else {
            String::new()
        };
        format!(
            "{level} {value} is in {parents} {first} and {second}, and Kubernetes compares one \
             label: make the values unique (`kubectl get nodes -L {keys}` lists them){outside}"
        )
    }
}

/// The first value of a required level that names several domains within the domain that
/// enclosing constraints have fixed. `is_tree` says whether all gangs of a replica are one tree, so
/// that constraints are always nested.
pub fn find_ambiguous_value(
    template: &PodCliqueSetTemplateSpec,
    is_tree: bool,
    levels: &Levels,
    nodes: &[&Node],
) -> Option<AmbiguousValue> {
    let packs = Packs {
        template,
        is_tree,
        levels,
    };
    let open: BTreeSet<Requirement> = packs.requirements().filter(Requirement::is_open).collect();
    let mut open = open.into_iter();
    open.find_map(|requirement| requirement.find_value(levels, nodes))
}

/// A required level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Requirement {
    position: usize,
    /// How many levels enclosing constraints fix.
    fixed: usize,
    may_be_enclosed: bool,
}

impl Requirement {
    /// Whether a level above it is not fixed.
    fn is_open(&self) -> bool {
        self.fixed < self.position
    }

    fn find_value(&self, levels: &Levels, nodes: &[&Node]) -> Option<AmbiguousValue> {
        let mut parents: BTreeMap<(Vec<&str>, &str), BTreeSet<Vec<&str>>> = BTreeMap::new();
        let paths = nodes
            .iter()
            .filter_map(|node| levels.domain_of(node, self.position));
        for path in paths {
            let Some((value, parent)) = path.split_last() else {
                continue;
            };
            let fixed = parent.iter().take(self.fixed).copied().collect();
            let known = parents.entry((fixed, value)).or_default();
            known.insert(parent.to_vec());
        }
        let mut found = parents.into_iter().filter(|(_, parents)| parents.len() > 1);
        let ((_, value), parents) = found.next()?;
        let mut parents = parents.into_iter().map(|parent| parent.join("/"));
        let mut levels = levels.as_slice().iter().skip(self.position.checked_sub(1)?);
        let (parent, own) = (levels.next()?, levels.next()?);
        Some(AmbiguousValue {
            level: own.domain.clone(),
            value: value.to_owned(),
            parent_level: parent.domain.clone(),
            parents: [parents.next()?, parents.next()?],
            keys: [parent.key.clone(), own.key.clone()],
            may_be_enclosed: self.may_be_enclosed,
        })
    }
}

/// The required levels of a template.
struct Packs<'a> {
    template: &'a PodCliqueSetTemplateSpec,
    is_tree: bool,
    levels: &'a Levels,
}

impl Packs<'_> {
    fn requirements(&self) -> impl Iterator<Item = Requirement> {
        let own = self.requirement(self.template.topology_constraint.as_ref(), 0, false);
        let groups = self.template.scaling_groups.iter().flat_map(|group| {
            let of_all = group.all_replicas_topology_constraint.as_ref();
            let fixed = self.fixed_by_set();
            let within = fixed.max(self.count_fixed(of_all.filter(|_| self.is_tree)));
            let of_all = self.requirement(of_all, fixed, true);
            let own = self.requirement(group.topology_constraint.as_ref(), within, true);
            of_all.into_iter().chain(own)
        });
        let cliques = self.template.cliques.iter().filter_map(|clique| {
            let fixed = self.fixed_by_set().max(self.fixed_by_group(&clique.name));
            self.requirement(clique.topology_constraint.as_ref(), fixed, true)
        });
        own.into_iter().chain(groups).chain(cliques)
    }

    fn requirement(
        &self,
        constraint: Option<&TopologyConstraint>,
        fixed: usize,
        may_be_enclosed: bool,
    ) -> Option<Requirement> {
        Some(Requirement {
            position: self.position(constraint)?,
            fixed,
            may_be_enclosed,
        })
    }

    /// How many levels the set fixes for what is in it. A gang of one PodGroup has one constraint,
    /// the narrowest.
    fn fixed_by_set(&self) -> usize {
        let is_nested = self.is_tree || self.template.cliques.len() > 1;
        let constraint = self.template.topology_constraint.as_ref();
        self.count_fixed(constraint.filter(|_| is_nested))
    }

    fn fixed_by_group(&self, clique: &str) -> usize {
        let mut groups = self.template.scaling_groups.iter();
        let group = groups.find(|group| group.clique_names.iter().any(|name| name == clique));
        let nested = group.filter(|group| self.is_tree || group.clique_names.len() > 1);
        self.count_fixed(nested.and_then(|group| group.topology_constraint.as_ref()))
    }

    fn count_fixed(&self, constraint: Option<&TopologyConstraint>) -> usize {
        let position = self.position(constraint);
        position.map_or(0, |position| position.saturating_add(1))
    }

    fn position(&self, constraint: Option<&TopologyConstraint>) -> Option<usize> {
        self.levels.position(pack_of(constraint).required?)
    }
}
