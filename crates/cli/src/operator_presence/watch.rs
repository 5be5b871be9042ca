//! Whether the operator is there while a command goes on.

use std::time::{Duration, Instant};

use super::{OperatorAbsence, read_absence};
use crate::cluster::Cluster;

/// The Leases are read at most once in this time.
pub const INTERVAL: Duration = Duration::from_secs(10);

/// The absence of the operator as it was read last.
pub struct PresenceWatch {
    cluster: Cluster,
    absence: Option<OperatorAbsence>,
    read: Instant,
}

impl PresenceWatch {
    /// Reads the Leases.
    pub async fn begin(cluster: &Cluster) -> Self {
        Self {
            cluster: cluster.clone(),
            absence: read_absence(cluster).await,
            read: Instant::now(),
        }
    }

    /// The absence, if the operator is away.
    pub fn absence(&self) -> Option<&OperatorAbsence> {
        self.absence.as_ref()
    }

    /// Reads the Leases again if [`INTERVAL`] has passed. Returns whether the operator has gone or come
    /// back since the reading before.
    pub async fn refresh(&mut self, now: Instant) -> bool {
        if now.duration_since(self.read) < INTERVAL {
            return false;
        }
        self.read = now;
        let absence = read_absence(&self.cluster).await;
        let has_changed = absence.is_some() != self.absence.is_some();
        self.absence = absence;
        has_changed
    }
}
