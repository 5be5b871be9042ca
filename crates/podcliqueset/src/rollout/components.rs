//! The cliques and groups of the replica that has the turn, counted in pods and group replicas
//! (docs/semantics.md §14.4).

use api::LastError;
use api::podclique::WaitingPod;
use api::podcliqueset::{PodCliqueTemplateSpec, ReplicaUpdateProgress};
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster, Slot};
use domain::update::{self, Component, Limits, Stage, UnitMember};
use domain::workload::layout::{Group, LayoutSlot};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{Newest, is_outdated};
use crate::observe::Snapshot;

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
    reached: Option<i32>,
    waiting: Option<&'a WaitingPod>,
    is_without_surge: bool,
    errors: Vec<&'a LastError>,
}

impl Turn<'_> {
    /// All cliques and groups of the replica; none if it is scaled in.
    pub fn components(&self) -> Vec<NamedComponent> {
        let Some(replica) = self.roster.layout.replica(self.stored.replica_index) else {
            return Vec::new();
        };
        let cliques = replica.standalone.iter().map(|slot| self.of_clique(slot));
        let groups = replica.groups.iter().map(|group| self.of_group(group));
        cliques.chain(groups).collect()
    }

    fn of_clique(&self, slot: &LayoutSlot<'_>) -> NamedComponent {
        let Some(seen) = self.roster.slot(slot).standing() else {
            return self.absent(slot.clique);
        };
        let template = self.template(slot.clique);
        let rolling = template.and_then(|clique| clique.rolling_update.as_ref());
        let min_ready = update::min_ready(rolling, template);
        let has_old_template = self.has_old_template(slot.clique, seen);
        let meta = &seen.podclique.metadata;
        let is_old = |pod| has_old_template || update::is_outdated(pod, meta);
        let units = seen.staying().filter_map(|pod| {
            let stage = update::stage_of_pod(pod, is_old(&pod.metadata), min_ready, self.now);
            Some((pod.index()?, stage))
        });
        let spec = &seen.podclique.spec;
        let minimum = spec.min_available.unwrap_or(spec.replicas);
        let changes = seen.staying().filter_map(|pod| {
            update::next_stage_at(pod, is_old(&pod.metadata), min_ready, self.now)
        });
        let status = seen.podclique.status.as_ref();
        let progress = status.and_then(|status| status.update_progress.as_ref());
        let progress = progress.filter(|p| {
            self.is_of_turn(
                &p.pod_clique_set_generation_hash,
                p.update_ended_at.as_ref(),
            )
        });
        let stored = Stored {
            reached: progress.and_then(|p| p.reached),
            waiting: progress.and_then(|p| p.waiting_since.as_ref()),
            is_without_surge: progress.is_some_and(|p| p.without_surge.is_some()),
            errors: status.iter().flat_map(|s| &s.last_errors).collect(),
        };
        let surge = update::surge_of_clique(&seen.podclique, rolling, || {
            seen.pods.iter().filter_map(|pod| pod.index())
        });
        let counted = Component {
            // Its record went with the PodClique that it replaced.
            must_return: progress.is_none() && self.is_made_in_turn(seen),
            limits: Limits::of_clique(rolling, spec.replicas),
            ..Component::count(units, &surge, spec.replicas, minimum)
        };
        let is_whole = !has_old_template;
        self.complete(slot.clique, is_whole, counted, &stored, changes.min())
    }

    fn is_made_in_turn(&self, seen: &ObservedClique) -> bool {
        let made = seen.podclique.metadata.creation_timestamp.as_ref();
        made.is_some_and(|made| made.0 > self.stored.update_started_at.0)
    }

    fn of_group(&self, group: &Group<'_>) -> NamedComponent {
        let name = &group.config.name;
        let Some(found) = self.snapshot.group(&group.name) else {
            return self.absent(name);
        };
        let cliques = group.config.clique_names.iter();
        let templates = cliques.filter_map(|clique| self.template(clique));
        let min_ready = update::min_ready(group.config.rolling_update.as_ref(), templates);
        let mut stages: Vec<(i32, Stage)> = Vec::new();
        let mut changes: Vec<Timestamp> = Vec::new();
        for replica in group.all_replicas() {
            let units = self.units(&replica.cliques);
            let wanted = replica.cliques.len();
            let stage = update::stage_of_replica(&units, wanted, min_ready, self.now);
            stages.push((replica.index, stage));
            changes.extend(update::next_stage_of_replica_at(
                &units, min_ready, self.now,
            ));
        }
        let is_whole = group
            .replicas
            .iter()
            .flat_map(|replica| &replica.cliques)
            .all(|slot| self.roster.slot(slot).standing().is_some());
        let status = found.status.as_ref();
        let progress = status.and_then(|status| status.update_progress.as_ref());
        let progress = progress.filter(|p| {
            self.is_of_turn(
                &p.pod_clique_set_generation_hash,
                p.update_ended_at.as_ref(),
            )
        });
        let of_members = group
            .all_replicas()
            .flat_map(|replica| &replica.cliques)
            .filter_map(|slot| self.roster.slot(slot).standing()?.podclique.status.as_ref())
            .flat_map(|status| &status.last_errors);
        let stored = Stored {
            reached: progress.and_then(|p| p.reached),
            waiting: progress.and_then(|p| p.waiting_since.as_ref()),
            is_without_surge: progress.is_some_and(|p| p.without_surge.is_some()),
            errors: of_members
                .chain(status.iter().flat_map(|s| &s.last_errors))
                .collect(),
        };
        let minimum = found.spec.min_available.unwrap_or(1);
        let surge = group.surge_indexes();
        let rolling = group.config.rolling_update.as_ref();
        let surge_from = progress.and_then(|p| p.surge_from);
        let counted = Component {
            limits: Limits::of_group(rolling, found.spec.replicas, minimum, surge_from),
            ..Component::count(stages, &surge, found.spec.replicas, minimum)
        };
        self.complete(name, is_whole, counted, &stored, changes.into_iter().min())
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
        let short = update::short_at(stored.waiting).filter(|at| *at > self.now);
        NamedComponent {
            name: name.to_owned(),
            is_whole,
            numbers: Component {
                reached: stored.reached,
                is_without_surge: stored.is_without_surge,
                is_short_of_room: update::is_short(
                    stored.waiting,
                    stored.errors.iter().copied(),
                    self.now,
                ),
                must_return: counted.must_return
                    || self.stored.must_return.iter().any(|listed| listed == name),
                ..counted
            },
            next_change: next_change.into_iter().chain(short).min(),
            waiting: stored.waiting.cloned(),
        }
    }

    fn absent(&self, name: &str) -> NamedComponent {
        self.complete(name, false, Component::default(), &Stored::default(), None)
    }

    fn has_old_template(&self, clique: &str, seen: &ObservedClique) -> bool {
        let newest = self.newest.get(clique).copied();
        let none = std::iter::empty();
        update::is_podclique_outdated(&seen.podclique.metadata, newest, none)
    }

    fn template(&self, clique: &str) -> Option<&PodCliqueTemplateSpec> {
        let mut cliques = self.snapshot.validated.set.spec.template.cliques.iter();
        cliques.find(|template| template.name == clique)
    }

    /// Whether a record is about this turn. An open one about an older template is carried over.
    fn is_of_turn(&self, generation: &str, ended: Option<&Time>) -> bool {
        let turn = Some(&self.stored.update_started_at);
        ended.is_none() || update::is_of_turn((generation, ended), self.generation, turn)
    }
}
