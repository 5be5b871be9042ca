//! The pods of a PodClique in the list of its PodGang.

use std::collections::{BTreeMap, BTreeSet};

use api::PodGang;
use domain::Pod;
use domain::object::ownership;
use domain::scheduling::quota;

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

    /// Whether its gang waits for quota, or has none for the pods that this PodClique requires, after the
    /// PodClique was available.
    pub fn has_lost_quota(&self) -> bool {
        let status = self.podclique.status.as_ref();
        let was_up = status.is_some_and(|s| s.was_available);
        let lacks = |gang: &PodGang| quota::is_held(gang) || self.lacks_quota(gang);
        was_up && self.gang.as_deref().is_some_and(lacks)
    }

    /// Whether only the quota of pods that were added later is lost, and this PodClique needs them. One
    /// that was scaled below its minimum, and up again, only waits for them.
    fn lacks_quota(&self, gang: &PodGang) -> bool {
        let spec = &self.podclique.spec;
        let status = self.podclique.status.as_ref();
        let was_scaled = status.is_some_and(|s| s.scaled_below_to.is_some());
        let minimum = spec.min_available.unwrap_or(spec.replicas);
        let completed = i32::try_from(self.completed().len()).unwrap_or(i32::MAX);
        let needed = minimum.min(spec.replicas).saturating_sub(completed);
        let granted = quota::granted(gang, ownership::name(&self.podclique.metadata));
        quota::is_reserved(gang) && !was_scaled && granted < needed
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
