//! Pods with dependencies (docs/semantics.md §8.6).

use api::{labels, start_order};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::Pod;
use crate::object::ownership;

impl Pod {
    /// Whether its containers wait for annotation `grove.io/start`. The volume that shows it to
    /// them never changes; pods of the Go operator use another mechanism.
    pub fn awaits_start(&self) -> bool {
        self.spec.has_start_volume && self.start_count() == 0
    }

    /// How often the operator released its start.
    pub fn start_count(&self) -> u32 {
        let value = ownership::annotation(&self.metadata, labels::START);
        value.map_or(0, start_order::count_of)
    }

    /// When its start was released, if the operator did so and its init container knows the
    /// counter.
    pub fn may_start_since(&self) -> Option<Timestamp> {
        let since = ownership::annotation(&self.metadata, labels::START_AT)?;
        since.parse().ok()
    }

    /// The time from which its kubelet could show the init container that it may start: the
    /// operator's release or the start of the container, whichever is later. `None` if it does not
    /// run.
    pub fn start_unseen_since(&self) -> Option<Timestamp> {
        let told = self.may_start_since().filter(|_| !self.awaits_start())?;
        let mut all = self.status.init_container_statuses.iter();
        let container = all.find(|c| c.name == start_order::CONTAINER)?;
        let running = container.state.running.as_ref()?;
        let started = running.started_at.as_ref().map(|at| at.0);
        Some(started.map_or(told, |started| started.max(told)))
    }

    /// Whether the PodClique of that name is a dependency of the pod; without the annotation, which
    /// a user may have removed, all dependencies of its own PodClique are.
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

/// The only fact kept about a pod's volumes.
pub(super) fn has_start_volume<'de, D: Deserializer<'de>>(volumes: D) -> Result<bool, D::Error> {
    let volumes = Vec::<Volume>::deserialize(volumes)?;
    Ok(volumes.iter().any(|v| v.name == start_order::VOLUME))
}
