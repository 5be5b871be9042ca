//! How a pod failed, and what is wrong with it.

use api::labels;
use jiff::{SignedDuration, Timestamp};

use super::{ContainerStatus, Pod, Terminated};
use crate::object::ownership;

impl Pod {
    /// How it failed: the container that ended badly, else what the kubelet or the node controller
    /// says (evicted, node lost).
    pub fn failure(&self) -> Option<&Terminated> {
        let ended = self
            .containers()
            .filter_map(|c| c.state.terminated.as_ref());
        ended
            .filter(|t| t.exit_code != 0)
            .min_by_key(|t| t.finished_at.as_ref().map(|f| f.0))
    }

    /// How many holders of this slot, this one included, ended soon after their start, one after
    /// the other; 0 if this one has not ended, or lived long enough.
    pub fn failure_count(&self) -> u32 {
        const LONG_ENOUGH: SignedDuration = SignedDuration::from_mins(10);
        let Some(ended) = self.ended_at().filter(|_| self.is_finished()) else {
            return 0;
        };
        let born = self
            .metadata
            .creation_timestamp
            .as_ref()
            .map_or(ended, |t| t.0);
        if ended.duration_since(born) >= LONG_ENOUGH {
            return 0;
        }
        self.earlier_failures().saturating_add(1)
    }

    /// The same of the holders before this one, carried on the pod.
    pub fn earlier_failures(&self) -> u32 {
        let carried = |key| ownership::annotation(&self.metadata, key);
        let carried =
            carried(labels::POD_FAILURE_COUNT).or_else(|| carried(labels::OLD_POD_FAILURE_COUNT));
        carried.and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// When it is replaced if it has ended: at once the first time, then 10 s after its end, doubling
    /// up to 5 min.
    pub fn replacement_due(&self) -> Option<Timestamp> {
        const INITIAL_WAIT: SignedDuration = SignedDuration::from_secs(10);
        const MAX_WAIT: SignedDuration = SignedDuration::from_mins(5);
        let wait = match self.earlier_failures() {
            0 => SignedDuration::ZERO,
            n => (1..n.min(10))
                .fold(INITIAL_WAIT, |wait, _| wait.saturating_mul(2))
                .min(MAX_WAIT),
        };
        self.ended_at()?.checked_add(wait).ok()
    }

    /// When its last container ended, or when it was last heard of: an evicted pod, or one whose
    /// node was lost, has no container that ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        let containers = self
            .containers()
            .filter_map(|c| c.state.terminated.as_ref()?.finished_at.as_ref());
        let conditions = self
            .status
            .conditions
            .iter()
            .filter_map(|c| c.last_transition_time.as_ref());
        let last = containers
            .map(|t| t.0)
            .max()
            .or_else(|| conditions.map(|t| t.0).max());
        last.or_else(|| self.metadata.creation_timestamp.as_ref().map(|t| t.0))
    }

    /// The most telling reason why it is not Ready, e.g. `CrashLoopBackOff`, `Unschedulable`.
    pub fn trouble(&self) -> Option<&str> {
        let waiting = self
            .containers()
            .find_map(|c| c.state.waiting.as_ref()?.reason.as_deref());
        let ended = self
            .containers()
            .find_map(|c| c.state.terminated.as_ref()?.reason.as_deref());
        let scheduling = self.status.conditions.iter().find_map(|c| {
            (c.type_ == "PodScheduled" && c.status == "False").then_some(c.reason.as_deref()?)
        });
        self.status
            .reason
            .as_deref()
            .or(waiting)
            .or(ended)
            .or(scheduling)
    }

    /// Statuses of its init containers and containers, in this order.
    pub fn containers(&self) -> impl Iterator<Item = &ContainerStatus> {
        self.status
            .init_container_statuses
            .iter()
            .chain(&self.status.container_statuses)
    }
}
