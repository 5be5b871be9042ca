//! The positions of many PodCliques in a set, found by their names.

use std::collections::{HashMap, HashSet};

use api::names;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec};

use super::standalone_cliques;

/// The position of a PodClique in its set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position<'a> {
    /// Index of the set's replica.
    pub replica: i32,
    /// The scaling group, and the index of the group replica.
    pub group: Option<(&'a PodCliqueScalingGroupConfig, i32)>,
}

/// Finds positions as [`find`](super::find) does, with one pass over the template for all names: a
/// search through the template for each PodClique would take the square of their number.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    set: &'a str,
    standalone: HashSet<&'a str>,
    /// By names of a group and a clique of it: the group, with its place in the template.
    grouped: HashMap<(&'a str, &'a str), (usize, &'a PodCliqueScalingGroupConfig)>,
}

impl<'a> Positions<'a> {
    /// Indexes the template of the set of that name.
    pub fn of(set: &'a str, template: &'a PodCliqueSetTemplateSpec) -> Self {
        let mut grouped = HashMap::new();
        for (place, config) in template.scaling_groups.iter().enumerate() {
            for clique in &config.clique_names {
                let names = (config.name.as_str(), clique.as_str());
                grouped.entry(names).or_insert((place, config));
            }
        }
        Self {
            set,
            standalone: standalone_cliques(template)
                .map(|c| c.name.as_str())
                .collect(),
            grouped,
        }
    }

    /// The position of the PodClique of exactly this name. If two groups may have it, the first in
    /// the template does.
    pub fn find(&self, podclique: &str) -> Option<Position<'a>> {
        let (replica, rest) = names::parts_of_standalone_clique(self.set, podclique)?;
        if self.standalone.contains(rest) {
            let group = None;
            return Some(Position { replica, group });
        }
        let ends = rest.match_indices('-').map(|(end, _)| end);
        let (_, config, j) = ends
            .filter_map(|end| self.find_group(podclique, rest, end))
            .min_by_key(|(place, ..)| *place)?;
        Some(Position {
            replica,
            group: Some((config, j)),
        })
    }

    /// The group whose name ends at that byte of `rest`, its place, and the index of the group
    /// replica.
    fn find_group(
        &self,
        podclique: &str,
        rest: &str,
        end: usize,
    ) -> Option<(usize, &'a PodCliqueScalingGroupConfig, i32)> {
        let (group, tail) = rest.split_at_checked(end)?;
        let object = podclique.strip_suffix(tail)?;
        let (j, clique) = names::parts_of_grouped_clique(object, podclique)?;
        let (place, config) = self.grouped.get(&(group, clique))?;
        Some((*place, *config, j))
    }
}
