//! The health of replicas and groups of a set, from their slots. The set's controller acts on it,
//! and the plugin explains it.

use api::PodCliqueScalingGroup;

use super::{ObservedClique, Roster};
use crate::health::availability::{GroupFacts, GroupPart};
use crate::health::fence;
use crate::object::ownership;
use crate::workload::layout::{LayoutSlot, Replica};

impl Roster<'_> {
    /// Whether the required part of the replica runs.
    pub fn is_available(&self, replica: &Replica<'_>) -> bool {
        self.has_its_minimum(replica, ObservedClique::is_up)
    }

    /// The facts of a scaling group's breach, by the pods of its PodCliques. `is_updating`: its
    /// replica of the set has the turn in an update.
    pub fn group_facts(&self, group: &PodCliqueScalingGroup, is_updating: bool) -> GroupFacts {
        let attempts = fence::attempts_of_group(group);
        let surge = self.count_serving_surge(group);
        let facts = GroupFacts::of(group, attempts, surge, |member| {
            let found = self.slot_named(&member.name).present()?;
            if found.is_terminating() {
                return GroupPart::on_its_way_out(&found.podclique);
            }
            let facts = found.counts().in_update(is_updating);
            Some(GroupPart::standing(&facts))
        });
        facts.in_update(is_updating)
    }

    /// The surge replicas of the group whose PodCliques all have their minimum.
    fn count_serving_surge(&self, group: &PodCliqueScalingGroup) -> i32 {
        let name = ownership::name(&group.metadata);
        let groups = self.layout.replicas.iter().flat_map(|r| &r.groups);
        let surge = groups.filter(|g| g.name == name).flat_map(|g| &g.surge);
        let serves = |slot: &LayoutSlot<'_>| {
            let found = self.slot(slot).standing();
            found.is_some_and(ObservedClique::is_up)
        };
        let serving = surge.filter(|replica| replica.cliques.iter().all(serves));
        i32::try_from(serving.count()).unwrap_or(i32::MAX)
    }
}
