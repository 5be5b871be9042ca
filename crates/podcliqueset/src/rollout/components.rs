//! The cliques and groups of the replica that has the turn, counted in pods and group replicas
//! (docs/semantics.md §14.4).

use api::LastError;
use api::labels;
use api::podclique::WaitingPod;
use api::podcliqueset::{PodCliqueTemplateSpec, ReplicaUpdateProgress};
use domain::Pod;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster, Slot};
use domain::update::{
    self, Age, Component, Limits, Record, Stage, UnitMember, UnitReplica, Vacancies,
};
use domain::workload::layout::{Group, LayoutSlot};
use jiff::{SignedDuration, Timestamp};

use super::units::Units;
use super::{Newest, is_outdated};
use crate::observe::Snapshot;

/// A pod that was created is given this long to start.
const START_PATIENCE: SignedDuration = SignedDuration::from_secs(30);

/// A standalone clique or a scaling group of the replica that has the turn.
#[derive(Clone, Debug)]
pub struct NamedComponent {
    /// Name of the clique or group in the template.
    pub name: String,
    /// Whether all its PodCliques exist and stay; of a clique, whether its PodClique has the newest
    /// template, also without pods.
    pub is_whole: bool,
    /// Its numbers.
    pub numbers: Component,
    /// When a number changes if nothing happens.
    pub next_change: Option<Timestamp>,
    /// A pod of it that waits for a node, as stored.
    pub waiting: Option<WaitingPod>,
    /// Why it goes on without surge, as stored.
    pub without_surge: Option<String>,
    /// Its units by index.
    pub units: Units,
    /// Whether old group replicas of the base gang are down and do not come back by themselves.
    pub is_base_down: bool,
    /// Indexes that stay vacant while the others are updated.
    pub vacancies: Vacancies,
}

impl NamedComponent {
    /// Whether it does not hold the turn any more.
    pub fn is_done(&self) -> bool {
        self.is_whole && self.numbers.is_done()
    }

    /// Whether all of it is new, and units that have to be there find no room.
    pub fn lacks_room(&self) -> bool {
        self.is_whole && self.numbers.old == 0 && self.numbers.lacks_room()
    }
}

/// The replica that has the turn.
pub struct Turn<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) roster: &'a Roster<'a>,
    pub(crate) newest: &'a Newest<'a>,
    /// The accepted generation.
    pub(crate) generation: &'a str,
    /// The turn as stored.
    pub(crate) stored: &'a ReplicaUpdateProgress,
    pub(crate) now: Timestamp,
}

/// What a clique or group stores about its update.
#[derive(Default)]
struct Stored<'a> {
    /// What of its record counts in this turn.
    record: Record<'a>,
    errors: Vec<&'a LastError>,
}

impl Turn<'_> {
    /// All cliques and groups of the replica; none if it is scaled in.
    pub fn components(&self) -> Vec<NamedComponent> {
        let Some(replica) = self.roster.layout.replica(self.stored.replica_index) else {
            return Vec::new();
        };
        let cliques = replica.standalone.iter();
        let cliques = cliques.map(|slot| self.add_vacant_pods(slot, self.of_clique(slot)));
        let groups = replica.groups.iter();
        let groups = groups.map(|group| self.add_vacant_replicas(group, self.of_group(group)));
        cliques.chain(groups).collect()
    }

    fn of_clique(&self, slot: &LayoutSlot<'_>) -> NamedComponent {
        let Some(seen) = self.roster.slot(slot).standing() else {
            return self.absent(slot.clique);
        };
        let template = self.template(slot.clique);
        let given = template.and_then(|clique| clique.rolling_update.as_ref());
        let min_ready = update::min_ready(given, template);
        let has_old_template = self.has_old_template(slot.clique, seen);
        let meta = &seen.podclique.metadata;
        let partition = update::partition_of(given);
        let age = |pod: &Pod| {
            // After a rollback pods may have the newest template before their PodClique has.
            let is_outdated = if has_old_template {
                !self.has_newest_template(slot.clique, pod)
            } else {
                update::is_outdated(&pod.metadata, meta)
            };
            Age::of(is_outdated, pod.index().is_some_and(|k| k < partition))
        };
        let units: Vec<(i32, Stage)> = seen
            .staying()
            .filter_map(|pod| {
                let stage = update::stage_of_pod(pod, age(pod), min_ready, self.now);
                Some((pod.index()?, stage))
            })
            .collect();
        let spec = &seen.podclique.spec;
        let minimum = spec.min_available.unwrap_or(spec.replicas);
        let rolling = update::rolling_in_force(&self.snapshot.validated.set, given, minimum);
        let rolling = rolling.as_deref();
        let changes = seen
            .staying()
            .filter_map(|pod| update::next_stage_at(pod, age(pod), min_ready, self.now));
        let status = seen.podclique.status.as_ref();
        let progress = status.and_then(|status| status.update_progress.as_ref());
        let errors = status.iter().flat_map(|s| &s.last_errors).collect();
        let stored = self.read_stored(progress.map(Record::from), errors, minimum);
        let surge = update::surge_of_clique(&seen.podclique, rolling, || {
            seen.pods.iter().filter_map(|pod| pod.index())
        });
        let counted = Component {
            is_recreated: update::is_recreated(self.stored, meta),
            limits: Limits::of_clique(rolling, spec.replicas),
            ..Component::count(units.iter().copied(), &surge, spec.replicas, minimum)
        };
        let is_whole = !has_old_template;
        NamedComponent {
            units: Units::of(units, &surge, spec.replicas, partition),
            ..self.complete(slot.clique, is_whole, counted, &stored, changes.min())
        }
    }

    fn of_group(&self, group: &Group<'_>) -> NamedComponent {
        let name = &group.config.name;
        let Some(found) = self.snapshot.group(&group.name) else {
            return self.absent(name);
        };
        let cliques = group.config.clique_names.iter();
        let templates = cliques.filter_map(|clique| self.template(clique));
        let given = group.config.rolling_update.as_ref();
        let min_ready = update::min_ready(given, templates);
        let partition = update::partition_of(given);
        let mut stages: Vec<(i32, Stage)> = Vec::new();
        let mut changes: Vec<Timestamp> = Vec::new();
        let mut base_down: Vec<Timestamp> = Vec::new();
        let minimum = found.spec.min_available.unwrap_or(1);
        for replica in group.all_replicas() {
            let unit = UnitReplica {
                members: self.units(&replica.cliques),
                wanted: replica.cliques.len(),
                is_below_partition: replica.index < partition,
                is_surge: replica.index >= found.spec.replicas,
            };
            let stage = update::stage_of_replica(&unit, min_ready, self.now);
            stages.push((replica.index, stage));
            if replica.index < minimum && stage.is_old_and_down() {
                base_down.extend(self.down_at(&replica.cliques));
            }
            changes.extend(update::next_stage_of_replica_at(&unit, min_ready, self.now));
        }
        let is_whole = group
            .replicas
            .iter()
            .flat_map(|replica| &replica.cliques)
            .all(|slot| self.roster.slot(slot).standing().is_some());
        let status = found.status.as_ref();
        let progress = status.and_then(|status| status.update_progress.as_ref());
        let of_members = group
            .all_replicas()
            .flat_map(|replica| &replica.cliques)
            .filter_map(|slot| self.roster.slot(slot).standing()?.podclique.status.as_ref())
            .flat_map(|status| &status.last_errors);
        let errors = of_members.chain(status.iter().flat_map(|s| &s.last_errors));
        let stored = self.read_stored(progress.map(Record::from), errors.collect(), minimum);
        let surge = group.surge_indexes();
        let rolling = update::rolling_in_force(&self.snapshot.validated.set, given, minimum);
        let surge_from = stored.record.surge_from;
        let counted = Component {
            is_recreated: update::is_recreated(self.stored, &found.metadata),
            limits: Limits::of_group(rolling.as_deref(), found.spec.replicas, minimum, surge_from),
            ..Component::count(stages.iter().copied(), &surge, found.spec.replicas, minimum)
        };
        let (due, later): (Vec<_>, Vec<_>) = base_down.into_iter().partition(|at| *at <= self.now);
        let change = changes.into_iter().chain(later).min();
        NamedComponent {
            units: Units::of(stages, &surge, found.spec.replicas, partition),
            is_base_down: !due.is_empty(),
            ..self.complete(name, is_whole, counted, &stored, change)
        }
    }

    /// When an old group replica that is down counts as one that does not come back: a while after
    /// the last of its PodCliques and pods was created. `None` while one of its PodCliques is missing.
    fn down_at(&self, slots: &[LayoutSlot<'_>]) -> Option<Timestamp> {
        let mut last = Timestamp::MIN;
        for slot in slots {
            let seen = self.roster.slot(slot).standing()?;
            let pods = seen.staying().map(|pod| &pod.metadata);
            let created = pods
                .chain([&seen.podclique.metadata])
                .filter_map(|meta| Some(meta.creation_timestamp.as_ref()?.0));
            last = created.fold(last, Timestamp::max);
        }
        last.checked_add(START_PATIENCE).ok()
    }

    /// The PodCliques of a group replica that count in this update.
    fn units<'b>(&'b self, slots: &[LayoutSlot<'_>]) -> Vec<UnitMember<'b>> {
        slots
            .iter()
            .filter_map(|slot| match self.roster.slot(slot) {
                Slot::Current(seen) | Slot::Terminating(seen) => Some(UnitMember {
                    is_old: is_outdated(self.newest, slot.clique, seen),
                    is_terminating: ownership::is_terminating(&seen.podclique.metadata),
                    minimum: seen.minimum(),
                    pods: seen.staying().map(AsRef::as_ref).collect(),
                }),
                _ => None,
            })
            .collect()
    }

    fn complete(
        &self,
        name: &str,
        is_whole: bool,
        counted: Component,
        stored: &Stored<'_>,
        next_change: Option<Timestamp>,
    ) -> NamedComponent {
        let record = stored.record;
        let waiting = record.waiting_since;
        let short = update::short_at(waiting).filter(|at| *at > self.now);
        let errors = stored.errors.iter().copied();
        NamedComponent {
            name: name.to_owned(),
            is_whole,
            numbers: Component {
                reached: record.reached,
                is_without_surge: record.without_surge.is_some()
                    || self.stored.without_surge.is_some(),
                is_short_of_room: update::is_short(waiting, errors, self.now),
                must_return: update::must_return(self.stored, name),
                ..counted
            },
            next_change: next_change.into_iter().chain(short).min(),
            waiting: waiting.cloned(),
            without_surge: record.without_surge.map(str::to_owned),
            units: Units::default(),
            is_base_down: false,
            vacancies: Vacancies::default(),
        }
    }

    fn absent(&self, name: &str) -> NamedComponent {
        let counted = Component::default();
        self.complete(name, false, counted, &Stored::default(), None)
    }

    fn has_old_template(&self, clique: &str, seen: &ObservedClique) -> bool {
        let newest = self.newest.get(clique).copied();
        let none = std::iter::empty();
        update::is_podclique_outdated(&seen.podclique.metadata, newest, none)
    }

    fn has_newest_template(&self, clique: &str, pod: &Pod) -> bool {
        let hash = ownership::label(&pod.metadata, labels::POD_TEMPLATE_HASH);
        hash.is_some() && hash == self.newest.get(clique).copied()
    }

    fn template(&self, clique: &str) -> Option<&PodCliqueTemplateSpec> {
        let mut cliques = self.snapshot.validated.set.spec.template.cliques.iter();
        cliques.find(|template| template.name == clique)
    }

    /// What of a record counts in this turn. One about an older template counts by what it passes
    /// on to the next one, which is stored in a moment.
    fn read_stored<'r>(
        &self,
        record: Option<Record<'r>>,
        errors: Vec<&'r LastError>,
        minimum: i32,
    ) -> Stored<'r> {
        let turn = Some(&self.stored.update_started_at);
        let is_over_quota = update::is_over_quota(errors.iter().copied());
        let record = record.map(|record| {
            if record.is_of_turn(self.generation, turn) {
                record
            } else {
                record.pass_on(turn, minimum, is_over_quota)
            }
        });
        Stored {
            record: record.unwrap_or_default(),
            errors,
        }
    }
}
