//! The batches of a coherent update, as the set stores them (docs/semantics.md §14.9).

use std::collections::BTreeMap;

use api::podcliqueset::{ComponentFrom, PcsUpdateProgress, ReplicaUpdateProgress};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use domain::plan::Kind;
use domain::workload::layout;
use serde::Deserialize;
use serde_json::Value;

use super::collect::Collector;
use crate::json;
use crate::plan::world::Id;

/// Units that are replaced together, in one replica of the set.
pub(super) struct Batch {
    /// Index of the replica.
    pub(super) replica: i32,
    /// Whether the turn goes on without surge.
    pub(super) is_without_surge: bool,
    targets: Vec<ComponentFrom>,
    /// The units of each clique and group, by its name in the template.
    pub(super) shares: BTreeMap<String, Share>,
}

/// The units of one clique or group in a batch.
#[derive(Default)]
pub(super) struct Share {
    /// Their indexes.
    pub(super) indexes: Vec<i32>,
    /// The most units that were available in the turn so far, if it is known.
    pub(super) reached: Option<i32>,
}

impl Batch {
    fn of(turn: &ReplicaUpdateProgress) -> Self {
        Self {
            replica: turn.replica_index,
            is_without_surge: turn.without_surge.is_some(),
            targets: turn.targets.clone(),
            shares: BTreeMap::new(),
        }
    }

    /// Whether another batch begins: the set lowers its targets while nothing is being replaced.
    fn ends_with(&self, turn: &ReplicaUpdateProgress) -> bool {
        let is_lowered = turn.targets != self.targets && turn.in_flight_epochs.is_empty();
        is_lowered || turn.replica_index != self.replica
    }

    /// The number of units of this clique or group.
    pub(super) fn count(&self, component: &str) -> i32 {
        let share = self.shares.get(component);
        share.map_or(0, |share| {
            i32::try_from(share.indexes.len()).unwrap_or(i32::MAX)
        })
    }
}

impl Collector {
    /// Follows an update: the turn of the set, the reach of a clique or group.
    pub(super) fn note_progress(&mut self, id: &Id, progress: &Value) {
        if id.0 == Kind::of::<PodCliqueSet>() {
            self.note_turn(progress);
            return;
        }
        let object = (id.0, id.1.name.clone());
        let reached = json::at(progress, "/reached").as_i64();
        match reached.and_then(|reached| i32::try_from(reached).ok()) {
            Some(reached) => self.reached.insert(object, reached),
            None => self.reached.remove(&object),
        };
    }

    /// The limits of an update depend on its scope, so the set keeps the progress of its last turn.
    fn note_turn(&mut self, progress: &Value) {
        let Ok(progress) = PcsUpdateProgress::deserialize(progress) else {
            return;
        };
        let Some(turn) = progress.currently_updating.first() else {
            return;
        };
        let last = self.batches.last();
        if last.is_none_or(|last| last.ends_with(turn)) {
            self.batches.push(Batch::of(turn));
        }
        if let Some(status) = &mut self.set.status {
            status.update_progress = Some(progress);
        }
    }

    /// A pod of an older template is replaced.
    pub(super) fn note_updated_pod(&mut self, podclique: &str, index: &str) {
        let set = ownership::name(&self.set.metadata);
        let slot = layout::find(set, &self.set.spec.template, podclique);
        let slot = slot.filter(|slot| slot.group.is_none());
        if let Some(clique) = slot.map(|slot| slot.clique.to_owned()) {
            let object = (Kind::of::<PodClique>(), podclique.to_owned());
            self.note_unit(clique, &object, index);
        }
    }

    /// A PodClique of a group replica of an older template is replaced.
    pub(super) fn note_updated_replica(&mut self, group: &str, index: &str) {
        let set = ownership::name(&self.set.metadata);
        let found = layout::find_group(set, &self.set.spec.template, group);
        if let Some(name) = found.map(|(config, _)| config.name.clone()) {
            let object = (Kind::of::<PodCliqueScalingGroup>(), group.to_owned());
            self.note_unit(name, &object, index);
        }
    }

    fn note_unit(&mut self, component: String, object: &(Kind, String), index: &str) {
        let reached = self.reached.get(object).copied();
        let (Some(batch), Ok(index)) = (self.batches.last_mut(), index.parse::<i32>()) else {
            return;
        };
        let share = batch.shares.entry(component).or_default();
        share.reached = share.reached.or(reached);
        if !share.indexes.contains(&index) {
            share.indexes.push(index);
        }
    }
}
