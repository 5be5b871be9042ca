//! Pods that start after others (docs/semantics.md §8.6).

use api::{labels, start_order};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::Pod;
use crate::object::ownership;

impl Pod {
    /// Whether its containers wait for annotation `grove.io/start`. Which pods have what shows it
    /// to them never changes; those of the Go operator have something else.
    pub fn awaits_start(&self) -> bool {
        self.spec.has_start_volume && self.start_count() == 0
    }

    /// How often it was told to start.
    pub fn start_count(&self) -> u32 {
        let value = ownership::annotation(&self.metadata, labels::START);
        value.map_or(0, start_order::count_of)
    }

    /// Since when it may start, if the operator told it and its init container knows the counter.
    pub fn may_start_since(&self) -> Option<Timestamp> {
        let since = ownership::annotation(&self.metadata, labels::START_AT)?;
        since.parse().ok()
    }

    /// Since when its kubelet has had the time to show its init container that it may start: since
    /// the operator said so, or the container runs, whichever is later. `None` if it does not run.
    pub fn start_unseen_since(&self) -> Option<Timestamp> {
        let told = self.may_start_since().filter(|_| !self.awaits_start())?;
        let mut all = self.status.init_container_statuses.iter();
        let container = all.find(|c| c.name == start_order::CONTAINER)?;
        let running = container.state.running.as_ref()?;
        let started = running.started_at.as_ref().map(|at| at.0);
        Some(started.map_or(told, |started| started.max(told)))
    }

    /// Whether it was created to start after the PodClique of that name: after all of its own
    /// PodClique's, if somebody removed the annotation.
    pub fn starts_after(&self, podclique: &str) -> bool {
        let pairs = ownership::annotation(&self.metadata, labels::STARTS_AFTER);
        pairs.is_none_or(|pairs| {
            let mut names = pairs
                .split(',')
                .filter_map(|pair| Some(pair.split_once(':')?.0));
            names.any(|name| name == podclique)
        })
    }
}

#[derive(Deserialize)]
struct Volume {
    name: String,
}

/// Of a pod's volumes only that is kept.
pub(super) fn has_start_volume<'de, D: Deserializer<'de>>(volumes: D) -> Result<bool, D::Error> {
    let volumes = Vec::<Volume>::deserialize(volumes)?;
    Ok(volumes.iter().any(|v| v.name == start_order::VOLUME))
}
