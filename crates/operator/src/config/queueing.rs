//! Queues whose quota workloads wait for.

use domain::scheduling::Profiles;
use serde::Deserialize;

use super::Config;

/// Queues whose quota workloads wait for. Grove does not have this key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Queueing {
    /// The queues of Kueue.
    pub kueue: Kueue,
}

/// The queues of Kueue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Kueue {
    /// Whether the gangs of a set with label `kueue.x-k8s.io/queue-name` wait for quota. Default
    /// `false`: the label has no effect.
    pub enabled: bool,
}

impl Config {
    /// The profiles of schedulers, and whether queues are used.
    pub fn profiles(&self) -> Profiles {
        let profiles = self.scheduler.profiles();
        profiles.with_queueing(self.queueing.kueue.enabled)
    }
}
