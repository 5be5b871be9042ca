//! Placement by the topology of the cluster.

use serde::Deserialize;

/// Placement by the topology of the cluster (Grove, `topologyAwareScheduling`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TopologyAwareScheduling {
    /// Whether topology constraints are honoured, and allowed in new sets. Default `true`, unlike
    /// Grove's: a set without constraints notices nothing.
    pub enabled: bool,
    /// Whether pods whose scheduler has no preferred levels get them as preferred pod affinity, which
    /// costs the scheduler time. Default `true`; Grove does not have this field.
    pub preferred_affinity: bool,
}

impl Default for TopologyAwareScheduling {
    fn default() -> Self {
        Self {
            enabled: true,
            preferred_affinity: true,
        }
    }
}
