//! The PodCliques of a set with topology constraints, each in its place. Read once for a decision: a
//! set may have thousands of them.

use std::collections::{HashMap, HashSet};

use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::podgang::{PodGroup, PodPlacement};
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::topology::{self, Levels};
use domain::workload::layout::{self, LayoutSlot};

use crate::observe::Snapshot;

/// A PodClique of the present attempt, with the list of its PodGang.
pub(super) struct Place<'a> {
    pub(super) slot: LayoutSlot<'a>,
    pub(super) part: &'a ObservedClique,
    /// The node labels of pods that join, by index.
    pub(super) placements: &'a [PodPlacement],
    /// Names of the listed pods.
    pub(super) listed: HashSet<&'a str>,
    /// The levels of the gang that lists it, if they are stored.
    pub(super) levels: Option<Levels>,
}

/// All of them.
pub(super) struct Places<'a> {
    snapshot: &'a Snapshot,
    all: Vec<Place<'a>>,
    by_name: HashMap<&'a str, usize>,
    by_replica: HashMap<i32, Vec<usize>>,
}

impl<'a> Places<'a> {
    /// None for a set without topology constraints.
    pub(super) fn of(snapshot: &'a Snapshot, roster: &Roster<'a>) -> Option<Self> {
        let template = &snapshot.validated.set.spec.template;
        if !topology::has_constraints(template) {
            return None;
        }
        let lists = Lists::of(snapshot);
        let found = roster.found().filter_map(|found| found.slot.standing());
        let mut all: Vec<Place<'_>> = found
            .filter_map(|part| {
                let slot = layout::find(snapshot.name(), template, part.name())?;
                Some(lists.place(slot, part))
            })
            .collect();
        all.sort_by(|a, b| a.part.name().cmp(b.part.name()));
        let mut by_replica: HashMap<i32, Vec<usize>> = HashMap::new();
        for (at, place) in all.iter().enumerate() {
            by_replica.entry(place.slot.replica).or_default().push(at);
        }
        let names = all.iter().enumerate();
        let by_name = names.map(|(at, place)| (place.part.name(), at)).collect();
        Some(Self {
            snapshot,
            all,
            by_name,
            by_replica,
        })
    }

    /// The template of the set.
    pub(super) fn template(&self) -> &'a PodCliqueSetTemplateSpec {
        &self.snapshot.validated.set.spec.template
    }

    /// The set with all that was observed.
    pub(super) fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The PodClique of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Place<'a>> {
        self.all.get(*self.by_name.get(name)?)
    }

    /// All PodCliques, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Place<'a>> {
        self.all.iter()
    }

    /// The PodCliques of a replica of the set.
    pub(super) fn in_replica(&self, replica: i32) -> impl Iterator<Item = &Place<'a>> {
        let indexes = self.by_replica.get(&replica);
        indexes
            .into_iter()
            .flatten()
            .filter_map(|at| self.all.get(*at))
    }
}

/// The lists of all PodGangs, by PodClique.
struct Lists<'a> {
    by_part: HashMap<&'a str, (&'a PodGroup, Option<Levels>)>,
}

impl<'a> Lists<'a> {
    fn of(snapshot: &'a Snapshot) -> Self {
        let gangs = snapshot.children.gangs.iter();
        let by_part = gangs.flat_map(|gang| {
            let meta = &gang.metadata;
            let stored = ownership::annotation(meta, api::labels::TOPOLOGY_LEVELS);
            let levels = stored.and_then(Levels::from_text);
            let groups = gang.spec.pod_groups.iter();
            groups.map(move |group| (group.name.as_str(), (group, levels.clone())))
        });
        Self {
            by_part: by_part.collect(),
        }
    }

    fn place(&self, slot: LayoutSlot<'a>, part: &'a ObservedClique) -> Place<'a> {
        let found = self.by_part.get(part.name());
        let group = found.map(|(group, _)| *group);
        let listed = group.into_iter().flat_map(|group| &group.pod_references);
        Place {
            slot,
            part,
            placements: group.map_or(&[], |group| &group.placements),
            listed: listed.map(|pod| pod.name.as_str()).collect(),
            levels: found.and_then(|(_, levels)| levels.clone()),
        }
    }
}
