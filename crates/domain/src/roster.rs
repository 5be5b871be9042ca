//! The state of each slot of a set, computed once for each decision.
//!
//! ```text
//! layout (what the set should have) ─┐
//! PodCliques that were found ────────┼──▶ Roster: one Slot for each PodClique of the layout
//! attempts that are stored ──────────┘            and one for each PodClique beyond it
//! ```
//!
//! Rules, statuses, events and the plugin ask the roster; only the roster compares attempts and
//! owners.

mod health;
mod observed;
mod ownership;
mod previous;
mod readiness;
mod replica;
mod slot;

use std::collections::{BTreeMap, HashMap};

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec, ReplicaAttempt};
use api::{PodCliqueScalingGroup, PodCliqueSet, PodGang, names};
use jiff::Timestamp;

pub use self::observed::ObservedClique;
pub use self::ownership::{Owner, owner_of};
pub use self::previous::{ReplicaOwner, has_previous};
pub use self::slot::{Slot, classify};
use crate::health::{fence, suspension};
use crate::object::attempt::Attempt;
use crate::object::ownership as object;
use crate::workload::layout::{Layout, LayoutSlot, Position, Positions};

/// The slots of one set.
#[derive(Clone, Debug)]
pub struct Roster<'a> {
    /// The slots that the set should have, by the live replica counts of its groups.
    pub layout: Layout<'a>,
    set: &'a PodCliqueSet,
    /// When the set was resumed for the last time: read once, as it is asked for each pod.
    resumed_at: Option<Timestamp>,
    positions: Positions<'a>,
    groups: HashMap<&'a str, &'a PodCliqueScalingGroup>,
    gangs: HashMap<&'a str, &'a PodGang>,
    /// All PodCliques that were found, wanted or not, by name.
    found: HashMap<&'a str, FoundPodClique<'a>>,
    /// Those of an earlier attempt of their replica of the set, by its index.
    previous: BTreeMap<i32, Vec<&'a ObservedClique>>,
}

/// A PodClique that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundPodClique<'a> {
    /// The state of its slot.
    pub slot: Slot<&'a ObservedClique>,
    /// Its controller.
    pub owner: Owner,
    /// Index of the set's replica, from its name; `None` for a name that no PodClique of the set
    /// has.
    pub replica: Option<i32>,
}

impl<'a> Roster<'a> {
    /// Joins a layout with the groups and PodCliques that were found. `set` is the stored object:
    /// its status has the present attempts. `template` is its template with defaults applied.
    pub fn new(
        set: &'a PodCliqueSet,
        template: &'a PodCliqueSetTemplateSpec,
        layout: Layout<'a>,
        groups: impl IntoIterator<Item = &'a PodCliqueScalingGroup>,
        podcliques: impl IntoIterator<Item = &'a ObservedClique>,
    ) -> Self {
        let named = groups.into_iter().map(|g| (object::name(&g.metadata), g));
        let mut roster = Self {
            groups: named.collect(),
            gangs: HashMap::new(),
            found: HashMap::new(),
            previous: BTreeMap::new(),
            positions: Positions::of(object::name(&set.metadata), template),
            resumed_at: suspension::resumed_at(set.status.as_ref()),
            layout,
            set,
        };
        roster.found = podcliques
            .into_iter()
            .map(|found| (found.name(), roster.place(found)))
            .collect();
        roster.previous = roster.find_previous();
        roster
    }

    /// The same with the PodGangs that were found: rules about the start of pods look at them.
    #[must_use]
    pub fn with_gangs(self, gangs: impl IntoIterator<Item = &'a PodGang>) -> Self {
        let named = gangs.into_iter().map(|g| (object::name(&g.metadata), g));
        Self {
            gangs: named.collect(),
            ..self
        }
    }

    /// The slot of a PodClique that the set should have.
    pub fn slot(&self, part: &LayoutSlot<'_>) -> Slot<&'a ObservedClique> {
        match self.found.get(part.name.as_str()) {
            Some(found) => found.slot,
            None if self.is_stored_as_done(part.replica, &part.name) => Slot::Done,
            None => Slot::Empty,
        }
    }

    /// The slot of the PodClique of that name, wanted or not.
    pub fn slot_named(&self, podclique: &str) -> Slot<&'a ObservedClique> {
        if let Some(found) = self.found.get(podclique) {
            return found.slot;
        }
        let replica = self.replica_of(podclique);
        match replica.filter(|i| self.is_stored_as_done(*i, podclique)) {
            Some(_) => Slot::Done,
            None => Slot::Empty,
        }
    }

    /// All PodCliques that were found, wanted or not.
    pub fn found(&self) -> impl Iterator<Item = FoundPodClique<'a>> {
        self.found.values().copied()
    }

    /// The PodCliques that the set or one of its groups controls, of whatever attempt.
    pub fn own(&self) -> impl Iterator<Item = &'a ObservedClique> {
        let own = self.found().filter(|found| found.owner == Owner::Set);
        own.filter_map(|found| found.slot.occupant())
    }

    /// The scaling group of that name, also if it is terminating.
    pub fn group(&self, name: &str) -> Option<&'a PodCliqueScalingGroup> {
        self.groups.get(name).copied()
    }

    /// The scaling group that a PodClique belongs in, if the group was found, also if it is
    /// terminating.
    pub fn group_of(&self, part: &LayoutSlot<'_>) -> Option<&'a PodCliqueScalingGroup> {
        self.group_in(part.replica, part.group?)
    }

    /// The PodGang of that name, if it was found.
    pub fn gang(&self, name: &str) -> Option<&'a PodGang> {
        self.gangs.get(name).copied()
    }

    /// The position of the PodClique of that name in the template.
    pub fn position_of(&self, podclique: &str) -> Option<Position<'a>> {
        self.positions.find(podclique)
    }

    /// When the set was resumed for the last time, if ever.
    pub fn resumed_at(&self) -> Option<Timestamp> {
        self.resumed_at
    }

    /// Whether it is stored that the PodClique of a job has done its work in the present attempt,
    /// whether it still exists or not.
    pub fn is_stored_as_done(&self, replica: i32, podclique: &str) -> bool {
        fence::is_stored_as_succeeded(self.attempts(), replica, podclique)
    }

    /// The present attempt of a PodClique, by its name.
    fn attempt_of(&self, podclique: &str) -> Option<Attempt> {
        let replica = self.replica_of(podclique)?;
        let group = self.position_of(podclique).and_then(|found| found.group);
        let of_group = group.and_then(|(config, j)| {
            let group = self.group_in(replica, config)?;
            Some(fence::current_attempt(fence::attempts_of_group(group), j))
        });
        Some(Attempt {
            set: self.present_attempt(replica),
            group: of_group.unwrap_or(0),
        })
    }

    /// The present attempt of a replica of the set.
    pub fn present_attempt(&self, replica: i32) -> i32 {
        fence::current_attempt(self.attempts(), replica)
    }

    fn place(&self, found: &'a ObservedClique) -> FoundPodClique<'a> {
        let meta = &found.podclique.metadata;
        let group = object::controller(meta).and_then(|o| self.groups.get(o.name.as_str()));
        let group = group.map(|g| &g.metadata);
        let owner = owner_of(object::uid(&self.set.metadata), group, meta);
        let wanted = self.attempt_of(found.name());
        FoundPodClique {
            slot: classify(
                found,
                meta,
                wanted.unwrap_or_else(|| found.attempt()),
                owner,
            ),
            replica: self.replica_of(found.name()),
            owner,
        }
    }

    fn group_in(
        &self,
        replica: i32,
        config: &PodCliqueScalingGroupConfig,
    ) -> Option<&'a PodCliqueScalingGroup> {
        self.group(&names::scaling_group(
            self.set_name(),
            replica,
            &config.name,
        ))
    }

    fn attempts(&self) -> &'a [ReplicaAttempt] {
        fence::attempts_of_set(self.set)
    }

    fn set_name(&self) -> &'a str {
        object::name(&self.set.metadata)
    }

    /// Index of the replica of a PodClique, from its name: names cannot be edited, labels can.
    pub fn replica_of(&self, podclique: &str) -> Option<i32> {
        let place = names::parts_of_standalone_clique(self.set_name(), podclique);
        place.map(|(replica, _)| replica)
    }
}
