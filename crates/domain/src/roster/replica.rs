//! Answers about whole replicas of a set, from their slots.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use api::names;
use jiff::Timestamp;

use super::{ObservedClique, Roster, Slot};
use crate::Pod;
use crate::health::{fence, training};
use crate::object::ownership;
use crate::update;
use crate::workload::layout::{Group, LayoutSlot, Replica};

impl<'a> Roster<'a> {
    /// Whether the slot is filled in the present attempt, or the work of its PodClique is done.
    pub fn is_filled(&self, part: &LayoutSlot<'_>) -> bool {
        match self.slot(part) {
            Slot::Current(_) | Slot::Terminating(_) | Slot::Done => true,
            _ => self.is_stored_as_done(part.replica, &part.name),
        }
    }

    /// Whether all PodCliques of a job's replica existed in the present attempt: one that is missing
    /// since then is a failure and is not created again in this attempt (decision 59).
    pub fn is_closed(&self, replica: i32) -> bool {
        training::is_training(self.set) && fence::is_complete(self.attempts(), replica)
    }

    /// How many pods of a standalone PodClique an update does not create yet (decision 168).
    pub fn count_held_back(&self, part: &ObservedClique) -> i32 {
        let Some(turn) = update::turn(self.set) else {
            return 0;
        };
        let set = ownership::name(&self.set.metadata);
        let mut listed = turn.holds_vacant.iter();
        let found = listed.find(|listed| {
            let name = names::standalone_clique(set, turn.replica_index, &listed.component);
            name == part.name()
        });
        let listed = found.map_or(&[][..], |listed| &listed.indexes);
        let status = part.podclique.status.as_ref();
        let record = status.and_then(|status| status.update_progress.as_ref());
        let held = update::held_indexes(
            listed.iter().copied(),
            part.podclique.spec.replicas,
            part.minimum(),
            record.and_then(|record| record.reached),
        );
        i32::try_from(held.len()).unwrap_or(i32::MAX)
    }

    /// Since when the replica holds room that a termination would give back: a node, or a part of the quota
    /// that refuses one of its pods. `None` if it holds neither.
    pub fn holds_since(&self, replica: i32) -> Option<Timestamp> {
        let replica = self.layout.replica(replica)?;
        let seen: Vec<&ObservedClique> = replica
            .slots()
            .filter_map(|slot| self.slot(slot).standing())
            .collect();
        let staying = seen.iter().copied().flat_map(ObservedClique::staying);
        let pods: Vec<&Arc<Pod>> = staying.collect();
        let bound = pods
            .iter()
            .filter(|pod| pod.is_scheduled() && !pod.is_finished())
            .map(|pod| pod.flipped_at("PodScheduled").unwrap_or(Timestamp::MIN));
        let refused = seen
            .iter()
            .filter_map(|seen| seen.podclique.status.as_ref())
            .flat_map(|status| &status.last_errors)
            .filter(|error| !pods.is_empty() && update::is_over_quota([*error]))
            .map(|error| error.observed_at.0);
        bound.chain(refused).min()
    }

    /// Whether the slot's work was found to be done: the set stored it, or the PodClique's status
    /// shows it.
    pub fn has_succeeded(&self, part: &LayoutSlot<'_>) -> bool {
        let slot = self.slot(part);
        self.is_stored_as_done(part.replica, &part.name)
            || slot
                .present()
                .is_some_and(|c| training::has_succeeded(&c.podclique))
    }

    /// Whether all pods of the slot have done their work, stored or not. A PodClique that is being deleted
    /// stores that before its pods go (decision 105).
    pub fn is_done(&self, part: &LayoutSlot<'_>) -> bool {
        let present = self.slot(part).present();
        self.has_succeeded(part) || present.is_some_and(ObservedClique::is_done)
    }

    /// Whether it is stored that the work of the PodClique is done, and it is gone, or going.
    pub fn is_done_and_gone(&self, podclique: &str) -> bool {
        let replica = self.replica_of(podclique);
        let is_stored = replica.is_some_and(|i| self.is_stored_as_done(i, podclique));
        is_stored && self.slot_named(podclique).standing().is_none()
    }

    /// PodCliques of an earlier attempt of their replica of the set, terminating or not, wanted or
    /// not, by the replica's index and by name. (Those of an earlier attempt of their group replica
    /// are the group's to delete.)
    pub fn previous(&self) -> impl Iterator<Item = (i32, &'a ObservedClique)> {
        let replicas = self.previous.iter();
        replicas.flat_map(|(i, found)| found.iter().map(|clique| (*i, *clique)))
    }

    /// Those of one replica.
    pub fn previous_of(&self, replica: i32) -> &[&'a ObservedClique] {
        self.previous.get(&replica).map_or(&[], Vec::as_slice)
    }

    pub(super) fn find_previous(&self) -> BTreeMap<i32, Vec<&'a ObservedClique>> {
        let mut previous: BTreeMap<i32, Vec<&ObservedClique>> = BTreeMap::new();
        for found in self.found() {
            if let (Some(i), Slot::Previous(clique)) = (found.replica, found.slot)
                && clique.attempt().set < self.present_attempt(i)
            {
                previous.entry(i).or_default().push(clique);
            }
        }
        for found in previous.values_mut() {
            found.sort_unstable_by_key(|clique| clique.name());
        }
        previous
    }

    /// Replicas that have an orphan, or a group without a controller, in one of their slots. An
    /// orphan that is terminated before its adoption would become a leftover, with its pods
    /// (decision 71).
    pub fn replicas_with_orphans(&self) -> HashSet<i32> {
        let mut replicas = self.replicas_with_orphan_groups();
        let mut found = self.found();
        if found.any(|found| matches!(found.slot, Slot::Orphan(_))) {
            let parts = self.layout.slots();
            let orphans = parts.filter(|part| matches!(self.slot(part), Slot::Orphan(_)));
            replicas.extend(orphans.map(|part| part.replica));
        }
        replicas
    }

    /// Replicas that have a group without a controller: the attempts of its PodCliques are known once
    /// it is adopted (decision 71).
    pub fn replicas_with_orphan_groups(&self) -> HashSet<i32> {
        let is_orphan = |group: &Group<'_>| {
            let found = self.groups.get(group.name.as_str());
            found.is_some_and(|g| ownership::is_adoptable(&g.metadata))
        };
        let replicas = self.layout.replicas.iter();
        replicas
            .filter(|replica| replica.groups.iter().any(is_orphan))
            .map(|replica| replica.index)
            .collect()
    }

    /// Whether the required part of the replica is up. `is_up` returns the answer for a PodClique
    /// that counts; a slot whose work is done is up.
    pub fn has_its_minimum(
        &self,
        replica: &Replica<'_>,
        is_up: impl Fn(&ObservedClique) -> bool,
    ) -> bool {
        let is_slot_up = |part: &LayoutSlot<'_>| match self.slot(part).standing() {
            Some(found) => is_up(found),
            None => self.is_stored_as_done(part.replica, &part.name),
        };
        let is_there = |group: &Group<'_>| {
            let found = self.groups.get(group.name.as_str());
            found.is_some_and(|g| !ownership::is_terminating(&g.metadata))
        };
        replica.has_its_minimum(is_slot_up, is_there)
    }
}
