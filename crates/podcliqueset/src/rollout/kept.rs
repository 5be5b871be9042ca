//! Pods and group replicas that a partition keeps on older templates (docs/semantics.md §14.8).

use std::collections::HashMap;

use api::PodCliqueSet;
use api::labels;
use domain::object::ownership;
use domain::roster::ObservedClique;
use domain::update::{self, Age};
use domain::workload::layout::LayoutSlot;

use super::{Newest, is_outdated};

/// The partitions of the set's cliques and groups.
pub struct Partitions<'a> {
    /// Of the standalone cliques that have one, by name.
    cliques: HashMap<&'a str, i32>,
}

impl<'a> Partitions<'a> {
    /// The partitions in the set's template.
    pub fn of(set: &'a PodCliqueSet) -> Self {
        let cliques = update::components_of(&set.spec.template).filter(|c| c.group.is_none());
        let partitions = cliques
            .map(|clique| (clique.name, clique.partition()))
            .filter(|(_, partition)| *partition > 0);
        Self {
            cliques: partitions.collect(),
        }
    }

    /// That of the standalone clique or group of this name.
    pub(crate) fn of_component(set: &PodCliqueSet, name: &str) -> i32 {
        let mut all = update::components_of(&set.spec.template);
        let found = all.find(|component| component.name == name);
        found.map_or(0, |component| component.partition())
    }

    /// That of the slot's clique or group.
    pub(super) fn of_slot(&self, slot: &LayoutSlot<'_>) -> i32 {
        match slot.group {
            Some(group) => update::partition_of(group.rolling_update.as_ref()),
            None => self.cliques.get(slot.clique).copied().unwrap_or(0),
        }
    }

    /// The age of the PodClique in the slot: that of its oldest pod, as the update sees it. A
    /// standalone PodClique takes the newest template with the turn, whichever pods stay.
    pub(super) fn age(
        &self,
        newest: &Newest<'_>,
        slot: &LayoutSlot<'_>,
        seen: &ObservedClique,
    ) -> Age {
        if !is_outdated(newest, slot.clique, seen) {
            return Age::New;
        }
        let partition = self.of_slot(slot);
        if let Some(j) = slot.group_replica {
            return Age::of(true, j < partition);
        }
        let meta = &seen.podclique.metadata;
        let label = ownership::label(meta, labels::POD_TEMPLATE_HASH);
        let has_newest = label == newest.get(slot.clique).copied();
        let is_kept = |index: Option<i32>| index.is_some_and(|k| k < partition);
        let mut outdated = seen
            .staying()
            .filter(|pod| update::is_outdated(&pod.metadata, meta));
        let is_every_kept = has_newest && outdated.all(|pod| is_kept(pod.index()));
        Age::of(true, is_every_kept)
    }
}
