//! Topology constraints of a PodGang, and the pods that it may list because of them
//! (docs/topology.md).

use api::podgang::PodGroup;
use api::{PodGang, labels, names};
use domain::object::ownership;
use domain::topology::{self, GangPart, GangTopology, GroupOfPart, Levels, Selector};
use domain::workload::layout;

use super::pins::Pins;
use super::places::Places;

/// The constraints of one gang.
pub(super) struct Constraints<'a> {
    places: &'a Places<'a>,
    /// The levels that are in force for it, and whether its annotation stores them.
    levels: Levels,
    is_stored: bool,
    /// Name of the scheduler's topology object with which it started; the present one if that is unknown.
    name: Option<String>,
}

impl<'a> Constraints<'a> {
    /// The constraints of a gang that has started, or is to start now. None if its levels are not
    /// known.
    ///
    /// A gang that runs keeps the levels with which it started, unless one of them is gone before any pod has a
    /// node (decision 196). One that the Go operator started has none stored: the present levels count if they
    /// mean what its PodGang says.
    pub(super) fn of(
        places: &'a Places<'a>,
        existing: Option<&PodGang>,
        is_started: bool,
    ) -> Option<Self> {
        let present = places.snapshot().topology.levels.as_ref().map(|levels| {
            let (required, preferred) = topology::named_domains(places.template());
            levels.down_to_narrowest([required, preferred].concat())
        });
        let new = |levels, is_stored| Self {
            places,
            levels,
            is_stored,
            name: None,
        };
        let Some(running) = existing.filter(|_| is_started) else {
            return Some(new(present?, true));
        };
        let stored = |key| ownership::annotation(&running.metadata, key);
        if let Some(levels) = stored(labels::TOPOLOGY_LEVELS).and_then(Levels::from_text) {
            let name = stored(labels::TOPOLOGY_NAME).map(str::to_owned);
            let kept = Self {
                name,
                ..new(levels, true)
            };
            let next = present.filter(|present| kept.gives_way_to(present, running));
            return Some(next.map_or(kept, |levels| new(levels, true)));
        }
        let adopted = new(present?, false);
        let translated = adopted.translate(running, &running.spec.pod_groups);
        (!translated.is_empty() && translated == stored_topology(running)).then_some(adopted)
    }

    /// Whether the gang waits for what its binding does not name any more, and is free to take the present levels:
    /// no pod has a node, or a node selector by a level that is lost. Only KAI Scheduler follows: PodGroups of
    /// Kubernetes are immutable.
    fn gives_way_to(&self, present: &Levels, running: &PodGang) -> bool {
        let snapshot = self.places.snapshot();
        let is_lost = |key: &str| present.position_of_key(key).is_none();
        let mut levels = self.levels.as_slice().iter();
        let mut groups = running.spec.pod_groups.iter();
        let reference = &snapshot.topology.reference;
        let is_renamed = self.name.as_ref().is_some_and(|name| name != reference);
        snapshot.scheduler.backend.is_kai()
            && snapshot.scheduler.unsupported.is_none()
            && (is_renamed || levels.any(|level| is_lost(&level.key)))
            && groups.all(|group| is_free(self.places, group, is_lost))
    }

    /// Writes the constraints into the gang that is to be stored, and lists only pods that may join
    /// the domains of the pods that run.
    pub(super) fn complete(&self, gang: &mut PodGang, existing: Option<&PodGang>) {
        let mut pins = Pins::of(self.places, &self.levels);
        let groups = std::mem::take(&mut gang.spec.pod_groups);
        gang.spec.pod_groups = pins.complete(groups, existing);
        let translated = self.translate(gang, &gang.spec.pod_groups);
        self.annotate(gang, &translated);
        for group in &mut gang.spec.pod_groups {
            group.topology_constraint = translated.parts.get(&group.name).cloned();
        }
        gang.spec.topology_constraint = translated.gang;
        gang.spec.topology_constraint_group_configs = translated.groups;
        gang.spec.scaling_group_topology_constraints = translated.scaling_groups;
    }

    fn annotate(&self, gang: &mut PodGang, translated: &GangTopology) {
        if !self.is_stored {
            return;
        }
        let present = &self.places.snapshot().topology.reference;
        let name = self.name.as_ref().unwrap_or(present);
        let annotations = gang.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::TOPOLOGY_LEVELS.into(), self.levels.to_text());
        if !translated.is_empty() && !name.is_empty() {
            annotations.insert(labels::TOPOLOGY_NAME.into(), name.clone());
        }
    }

    fn translate(&self, gang: &PodGang, groups: &[PodGroup]) -> GangTopology {
        let parts: Vec<GangPart<'_>> = groups
            .iter()
            .filter_map(|group| self.part(&group.name))
            .collect();
        let set = self.places.snapshot().name();
        let name = ownership::name(&gang.metadata);
        let is_scaled = names::replica_of_base_gang(set, name).is_none();
        topology::translate(self.places.template(), is_scaled, &parts, &self.levels)
    }

    fn part<'p>(&'p self, name: &'p str) -> Option<GangPart<'p>> {
        let set = self.places.snapshot().name();
        let slot = layout::find(set, self.places.template(), name)?;
        let group = slot.group.zip(slot.group_replica);
        Some(GangPart {
            name,
            clique: slot.clique,
            group: group.map(|(config, replica)| {
                let name = names::scaling_group(set, slot.replica, &config.name);
                GroupOfPart {
                    config: &config.name,
                    replica: format!("{name}-{replica}"),
                    name,
                }
            }),
        })
    }
}

/// Whether no pod of the part has a node, or a node selector by a level that is lost.
fn is_free(places: &Places<'_>, group: &PodGroup, is_lost: impl Fn(&str) -> bool) -> bool {
    let is_bound_by = |selector: &Selector| selector.keys().any(|key| is_lost(key));
    let place = places.find(&group.name);
    let mut pods = place.into_iter().flat_map(|place| place.part.staying());
    let mut placements = group.placements.iter();
    pods.all(|pod| !pod.is_scheduled() && !is_bound_by(&topology::pin_of(pod)))
        && !placements.any(|placement| is_bound_by(&placement.node_selector))
}

/// The constraints in a stored PodGang.
fn stored_topology(gang: &PodGang) -> GangTopology {
    let spec = &gang.spec;
    let parts = spec.pod_groups.iter().filter_map(|group| {
        let constraint = group.topology_constraint.clone()?;
        Some((group.name.clone(), constraint))
    });
    GangTopology {
        gang: spec.topology_constraint.clone(),
        groups: spec.topology_constraint_group_configs.clone(),
        scaling_groups: spec.scaling_group_topology_constraints.clone(),
        parts: parts.collect(),
    }
}
