//! The present state of a pod.

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::{ContainerStatus, Pod, PodCondition};

impl Pod {
    /// Whether the condition is True.
    pub fn has_condition(&self, type_: &str) -> bool {
        self.status
            .conditions
            .iter()
            .any(|c| c.type_ == type_ && c.status == "True")
    }

    /// The condition of that type.
    pub fn find_condition(&self, type_: &str) -> Option<&PodCondition> {
        self.status.conditions.iter().find(|c| c.type_ == type_)
    }

    /// When the status of its condition last flipped.
    pub fn flipped_at(&self, type_: &str) -> Option<Timestamp> {
        let flipped = self.find_condition(type_)?.last_transition_time.as_ref();
        flipped.map(|t| t.0)
    }

    /// Whether it has phase Running and stays.
    pub fn is_running(&self) -> bool {
        self.status.phase.as_deref() == Some("Running") && !self.is_terminating()
    }

    /// Whether it is Ready and stays.
    pub fn is_ready(&self) -> bool {
        self.has_condition("Ready") && !self.is_terminating() && !self.is_finished()
    }

    /// Whether it ended, well or not.
    pub fn is_finished(&self) -> bool {
        matches!(self.status.phase.as_deref(), Some("Succeeded" | "Failed"))
    }

    /// Whether it ended well and was not deleted before: a drained pod may also end in Succeeded,
    /// and its work is not done (docs/semantics.md §5.2).
    pub fn is_completed(&self) -> bool {
        self.status.phase.as_deref() == Some("Succeeded") && !self.is_terminating()
    }

    /// Whether it failed and is still there: phase Failed, or an app container ended badly and is not
    /// started again.
    pub fn is_failed(&self) -> bool {
        let is_phase = self.status.phase.as_deref() == Some("Failed");
        (is_phase || self.has_failed_container()) && !self.is_terminating()
    }

    /// Whether its app containers run, or have ended well: a pod that lost its readiness, or whose
    /// node does not report, continues to do so.
    pub fn runs_on(&self) -> bool {
        let containers = &self.status.container_statuses;
        let runs = |c: &ContainerStatus| c.state.running.is_some();
        let is_well = |c: &ContainerStatus| {
            let end = c.state.terminated.as_ref();
            runs(c) || end.is_some_and(|end| end.exit_code == 0)
        };
        self.is_running() && containers.iter().any(runs) && containers.iter().all(is_well)
    }

    /// Whether it is Ready, about to end well, or runs on without being Ready.
    pub fn is_at_work(&self) -> bool {
        self.is_ready() || self.is_finishing() || self.runs_on()
    }

    /// Whether it is about to end well. For some seconds, or much longer with a sidecar, a kubelet
    /// shows such a pod as Running and not Ready with a container that exited with 0. A pod that
    /// ended before the kubelet's first report is Pending until then.
    pub fn is_finishing(&self) -> bool {
        let containers = &self.status.container_statuses;
        let has_ended = |c: &ContainerStatus| c.state.terminated.is_some();
        let is_well = |c: &ContainerStatus| {
            c.ready
                || c.state
                    .terminated
                    .as_ref()
                    .is_some_and(|t| t.exit_code == 0)
        };
        let is_pending = self.status.phase.as_deref() == Some("Pending") && !self.is_terminating();
        let may_end = self.is_running() || (is_pending && containers.iter().all(has_ended));
        may_end && containers.iter().any(has_ended) && containers.iter().all(is_well)
    }

    /// When the first of its app containers started.
    pub fn started_at(&self) -> Option<Timestamp> {
        self.status
            .container_statuses
            .iter()
            .flat_map(|c| {
                [&c.state, &c.last_state].into_iter().flat_map(|state| {
                    let running = state.running.as_ref().and_then(|r| r.started_at.as_ref());
                    let ended = state
                        .terminated
                        .as_ref()
                        .and_then(|t| t.started_at.as_ref());
                    running.into_iter().chain(ended)
                })
            })
            .map(|t| t.0)
            .min()
    }

    /// When an app container last ended, in this run or the one before; none if none has.
    pub fn last_app_container_end(&self) -> Option<Timestamp> {
        self.status
            .container_statuses
            .iter()
            .flat_map(|c| [&c.state, &c.last_state])
            .filter_map(|state| state.terminated.as_ref()?.finished_at.as_ref())
            .map(|at| at.0)
            .max()
    }
}

/// Whether a list has entries.
pub(super) fn has_entries<'de, D: Deserializer<'de>>(list: D) -> Result<bool, D::Error> {
    let entries = Option::<Vec<IgnoredAny>>::deserialize(list)?;
    Ok(entries.is_some_and(|entries| !entries.is_empty()))
}
