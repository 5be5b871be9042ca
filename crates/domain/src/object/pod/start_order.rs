//! Pods that start after others (docs/semantics.md §8.6).

use api::{labels, start_order};
use serde::{Deserialize, Deserializer};

use super::Pod;
use crate::object::ownership;

impl Pod {
    /// Whether its containers wait for annotation `grove.io/start`. Which pods have what shows it
    /// to them never changes; those of the Go operator have something else.
    pub fn awaits_start(&self) -> bool {
        self.spec.has_start_volume
            && ownership::annotation(&self.metadata, labels::START) != Some(start_order::NOW)
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
