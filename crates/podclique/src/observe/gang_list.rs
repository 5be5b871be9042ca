//! The pods of a PodClique in the list of its PodGang.

use std::collections::{BTreeMap, BTreeSet};

use domain::Pod;
use domain::object::ownership;

use super::Snapshot;

impl Snapshot {
    /// Names of the pods that the gang lists for this PodClique.
    pub fn listed(&self) -> BTreeSet<&str> {
        let name = ownership::name(&self.podclique.metadata);
        let groups = self
            .gang
            .iter()
            .flat_map(|g| &g.spec.pod_groups)
            .filter(|g| g.name == name);
        groups
            .flat_map(|g| &g.pod_references)
            .map(|r| r.name.as_str())
            .collect()
    }

    /// The node labels that the gang lists for this pod.
    pub fn placement_of(&self, pod: &Pod) -> Option<&BTreeMap<String, String>> {
        let name = ownership::name(&self.podclique.metadata);
        let mut groups = self.gang.iter().flat_map(|g| &g.spec.pod_groups);
        let group = groups.find(|g| g.name == name)?;
        let index = pod.index()?;
        let mut placements = group.placements.iter();
        let placement = placements.find(|placement| placement.indexes.contains(&index))?;
        Some(&placement.node_selector)
    }
}
