//! The fields of a PodClique that the benchmark reads.

use jiff::Timestamp;
use serde::Deserialize;

use crate::watching::{Metadata, Object};

/// A PodClique.
#[derive(Clone, Debug, Deserialize)]
pub struct PodClique {
    metadata: Metadata,
    spec: Spec,
    #[serde(default)]
    status: Status,
}

impl PodClique {
    /// Whether it ever had its minimum of pods.
    pub fn was_available(&self) -> bool {
        self.status.was_available
    }

    /// The stored time of its breach, if it is breached.
    pub fn breached_since(&self) -> Option<Timestamp> {
        let mut conditions = self.status.conditions.iter();
        let breach = conditions.find(|c| c.type_ == "MinAvailableBreached" && c.status == "True");
        breach.map(|c| c.last_transition_time)
    }

    /// Whether it is terminating.
    pub fn is_terminating(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// Whether all its pods are Ready.
    pub fn is_ready(&self) -> bool {
        self.status.ready_replicas == self.spec.replicas
    }
}

impl Object for PodClique {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Spec {
    replicas: u32,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    was_available: bool,
    ready_replicas: u32,
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition {
    #[serde(rename = "type")]
    type_: String,
    status: String,
    last_transition_time: Timestamp,
}
