//! How a pod failed.

use jiff::{SignedDuration, Timestamp};

use super::{ContainerStatus, Pod, Terminated};

impl Pod {
    /// How it failed: the end of the first container that ended badly; without one, the kubelet or
    /// the node controller gives the reason (evicted, node lost).
    pub fn failure(&self) -> Option<&Terminated> {
        self.failed_container().map(|(_, end)| end)
    }

    /// The container that ended badly first, with its end; of several at one time an app container.
    pub fn failed_container(&self) -> Option<(&ContainerStatus, &Terminated)> {
        self.status
            .container_statuses
            .iter()
            .chain(&self.status.init_container_statuses)
            .filter_map(|c| Some((c, c.state.terminated.as_ref()?)))
            .filter(|(_, end)| end.exit_code != 0)
            .min_by_key(|(_, end)| end.finished_at.as_ref().map(|at| at.0))
    }

    /// Whether an app container ended badly and is not started again. A kubelet shows that seconds
    /// before phase Failed, and for as long as other containers of the pod run.
    pub fn has_failed_container(&self) -> bool {
        let mut ends = self.status.container_statuses.iter();
        ends.any(|c| self.final_end(c).is_some_and(|end| end.exit_code != 0))
    }

    /// Whether it failed before it was deleted. A pod that is deleted fails too, with exit code 143
    /// or 137.
    pub fn has_failed_by_itself(&self) -> bool {
        let has_failed =
            self.status.phase.as_deref() == Some("Failed") || self.has_failed_container();
        has_failed
            && self
                .failure()
                .map_or(!self.is_terminating(), |end| !self.was_asked_to_end(end))
    }

    /// Whether the container ended after the pod was deleted. If that cannot be known, as in the
    /// last moments of a pod, it counts as after.
    pub fn was_asked_to_end(&self, end: &Terminated) -> bool {
        let finished = end.finished_at.as_ref().map(|at| at.0);
        let is_before = |deleted| finished.is_some_and(|finished| finished < deleted);
        self.is_terminating() && !self.deletion_requested_at().is_some_and(is_before)
    }

    /// Whether it ran until somebody deleted it, if that is known: one that has ended is deleted without a
    /// grace period.
    pub(super) fn was_ended_by_its_deletion(&self) -> bool {
        let failed = self.failure().and_then(|end| end.finished_at.as_ref());
        let ended = failed.map(|at| at.0).or_else(|| self.last_container_end());
        let times = ended.zip(self.deletion_requested_at());
        times.is_some_and(|(ended, deleted)| ended >= deleted)
    }

    /// When it was deleted: the grace period before its deletionTimestamp. The kubelet moves both
    /// when it removes the pod at last, with a grace period of 0.
    pub(super) fn deletion_requested_at(&self) -> Option<Timestamp> {
        let grace = self.metadata.deletion_grace_period_seconds?;
        let until = self.metadata.deletion_timestamp.as_ref()?.0;
        let grace = (grace > 0).then(|| SignedDuration::from_secs(grace))?;
        until.checked_sub(grace).ok()
    }

    /// When its last container ended.
    pub(super) fn last_container_end(&self) -> Option<Timestamp> {
        self.containers()
            .filter_map(|c| c.state.terminated.as_ref()?.finished_at.as_ref())
            .map(|t| t.0)
            .max()
    }

    /// When its last container ended, or the time of the last report: an evicted pod, or a pod
    /// whose node was lost, has no container that ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        let conditions = self
            .status
            .conditions
            .iter()
            .filter_map(|c| c.last_transition_time.as_ref());
        let last = self
            .last_container_end()
            .or_else(|| conditions.map(|t| t.0).max());
        last.or_else(|| self.metadata.creation_timestamp.as_ref().map(|t| t.0))
    }

    /// Statuses of its init containers and containers, in this order.
    pub fn containers(&self) -> impl Iterator<Item = &ContainerStatus> {
        self.status
            .init_container_statuses
            .iter()
            .chain(&self.status.container_statuses)
    }
}
