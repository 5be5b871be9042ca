//! Pods that the cluster takes away: drained, evicted, preempted, lost with their node.

use jiff::Timestamp;

use super::{Pod, PodCondition, Terminated};

/// The reason and the beginning of a disruption by the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disruption<'a> {
    /// In one word, e.g. `EvictionByEvictionAPI`.
    pub reason: &'a str,
    /// For people, if the disrupting component leaves a message.
    pub message: Option<&'a str>,
    /// When the disruption began.
    pub since: Timestamp,
}

impl Disruption<'_> {
    /// Whether Kubernetes announces a disruption of this reason before it happens, so that it may
    /// never happen. A restarted node has ended the containers already.
    pub fn is_announced(reason: &str) -> bool {
        reason != NODE_RESTARTED
    }
}

/// The condition that Kubernetes sets before it deletes such a pod.
const CONDITION: &str = "DisruptionTarget";

/// The reason of a pod whose container the runtime lost when the machine restarted.
const NODE_RESTARTED: &str = "NodeRestarted";

impl Pod {
    /// The disruption that takes the pod away, if there is one. A disruption after the pod's
    /// deletion, or after its work was done, does not count.
    pub fn disruption(&self) -> Option<Disruption<'_>> {
        let found = self
            .announced_disruption()
            .or_else(|| self.lost_with_its_node())?;
        let is_before = |at: Option<Timestamp>| at.is_some_and(|at| at < found.since);
        let is_done = self.status.phase.as_deref() == Some("Succeeded");
        let is_late = is_before(self.deletion_requested_at())
            || (is_done && is_before(self.last_container_end()));
        (!is_late).then_some(found)
    }

    /// Keeps the disruption that the version before announced. Kubernetes withdraws it if the
    /// deletion does not follow in time, and a later deletion carries no reason. A pod that is
    /// Ready again was not taken away.
    pub fn keep_disruption_of(&mut self, before: &Self) {
        let is_over = self.is_ready() || self.announced().is_some();
        if is_over || self.uid() != before.uid() {
            return;
        }
        let announced = before.announced().cloned().map(Box::new);
        let kept = announced.or_else(|| before.status.withdrawn_disruption.clone());
        self.status.withdrawn_disruption = kept;
    }

    /// The pod, which is gone, as a lost one; `None` if nothing shows that it failed or was taken
    /// away.
    pub fn to_lost(&self) -> Option<Self> {
        let mut lost = self.clone();
        lost.status.conditions.retain(|c| c.type_ != "Ready");
        if let Some(kept) = lost.status.withdrawn_disruption.take() {
            lost.status.conditions.retain(|c| c.type_ != CONDITION);
            lost.status.conditions.push(*kept);
        }
        let is_loss = lost.disruption().is_some() || lost.has_failed_by_itself();
        is_loss.then_some(lost)
    }

    fn announced(&self) -> Option<&PodCondition> {
        self.find_condition(CONDITION)
            .filter(|c| c.status == "True")
    }

    fn announced_disruption(&self) -> Option<Disruption<'_>> {
        let withdrawn = self.status.withdrawn_disruption.as_deref();
        let withdrawn = withdrawn.filter(|_| self.is_terminating());
        let target = self.announced().or(withdrawn)?;
        // Not every writer of a condition sets its time: then the condition explains the deletion
        // of the pod.
        let since = target.last_transition_time.as_ref().map(|t| t.0);
        let since = since.or_else(|| self.deletion_requested_at());
        Some(Disruption {
            reason: target.reason.as_deref().unwrap_or(CONDITION),
            message: target.message.as_deref().filter(|m| !m.is_empty()),
            since: since.or_else(|| self.ended_at())?,
        })
    }

    fn lost_with_its_node(&self) -> Option<Disruption<'_>> {
        let mut ends = self.status.container_statuses.iter();
        let lost = ends.find_map(|c| c.state.terminated.as_ref().filter(|t| t.is_lost()))?;
        Some(Disruption {
            reason: NODE_RESTARTED,
            message: lost.message.as_deref().filter(|m| !m.is_empty()),
            since: lost
                .finished_at
                .as_ref()
                .map(|t| t.0)
                .or_else(|| self.ended_at())?,
        })
    }
}

impl Terminated {
    /// Whether the runtime lost the container, as when the machine restarts: it is unknown how the
    /// program ended, and the exit code is not the program's.
    pub fn is_lost(&self) -> bool {
        self.exit_code == 255 && self.reason.as_deref() == Some("Unknown")
    }
}
