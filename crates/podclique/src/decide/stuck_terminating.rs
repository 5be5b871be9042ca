//! Pods that hang in Terminating: a dead node never confirms the end of its pods (docs/semantics.md
//! §6.3, decision 116).

use std::sync::Arc;

use api::{events, labels};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Event, GuardedPatch, Pointer, Purpose};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The party that waits for the end of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiter {
    /// The next pod of its index.
    Slot,
    /// The finalizer of its PodClique.
    Finalizer,
}

impl Waiter {
    /// Until when it waits for a terminating pod; `None`: as long as the pod exists.
    fn until(self, snapshot: &Snapshot, pod: &Pod) -> Option<Timestamp> {
        let timeouts = snapshot.stuck_timeouts;
        let is_on_ready_node = snapshot.is_on_ready_node(pod);
        match self {
            Self::Slot => timeouts.slot_until(pod, is_on_ready_node),
            Self::Finalizer => timeouts.end_until(pod, is_on_ready_node),
        }
    }

    fn has_waited(self, snapshot: &Snapshot, pod: &Pod, now: Timestamp) -> bool {
        self.until(snapshot, pod).is_some_and(|until| until <= now)
    }

    /// Whether it no longer waits although the pod exists. It does wait while the headless Service
    /// selects the pod: a rank's DNS name must never lead to two pods.
    pub(super) fn gave_up(self, snapshot: &Snapshot, pod: &Pod, now: Timestamp) -> bool {
        self.has_waited(snapshot, pod, now) && !is_selected(pod)
    }

    /// The expired pods that the headless Service still selects.
    fn expired(self, snapshot: &Snapshot, now: Timestamp) -> impl Iterator<Item = &Arc<Pod>> {
        snapshot
            .pods
            .iter()
            .filter(|p| is_selected(p))
            .filter(move |p| self.has_waited(snapshot, p, now))
    }

    /// Removes these pods from the Service.
    pub(super) fn detachments(self, snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
        self.expired(snapshot, now)
            .filter_map(|pod| detach(pod, Purpose::DetachStuckPod))
            .collect()
    }

    /// Warns that the processes of a job's pods may run on although their indexes are filled again.
    pub(super) fn warnings(self, snapshot: &Snapshot, now: Timestamp) -> Vec<Event> {
        self.expired(snapshot, now)
            .filter(|pod| self.is_started_again(snapshot, pod))
            .filter_map(|pod| warn(snapshot, pod))
            .collect()
    }

    fn is_started_again(self, snapshot: &Snapshot, pod: &Pod) -> bool {
        let index = pod.index().unwrap_or(i32::MAX);
        let is_wanted = index < snapshot.replicas() && !snapshot.completed().contains(&index);
        let goes_on = match self {
            Self::Slot => snapshot.may_create,
            Self::Finalizer => snapshot.is_made_again(),
        };
        snapshot.is_training() && !pod.has_run_out() && is_wanted && goes_on
    }

    /// The next time at which a terminating pod expires.
    pub(super) fn next_deadline(self, snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
        snapshot
            .pods
            .iter()
            .chain(&snapshot.predecessors)
            .filter_map(|p| self.until(snapshot, p))
            .filter(|d| *d > now)
            .min()
    }
}

/// Removes pods that an earlier attempt released from the headless Service.
pub(super) fn farewells(snapshot: &Snapshot) -> Vec<Action> {
    snapshot
        .released
        .iter()
        .filter_map(|pod| detach(pod, Purpose::DetachReleasedPod))
        .collect()
}

/// Indexes whose rank has a pod of another PodClique: a released pod that the headless Service
/// still selects, or a pod that is waited for without end.
pub(super) fn occupied(snapshot: &Snapshot, now: Timestamp) -> impl Iterator<Item = i32> {
    let released = snapshot.released.iter().filter(|p| is_selected(p));
    let held = snapshot
        .predecessors
        .iter()
        .filter(move |p| !Waiter::Slot.has_waited(snapshot, p, now));
    released.chain(held).filter_map(|p| p.index())
}

fn is_selected(pod: &Pod) -> bool {
    ownership::label(&pod.metadata, labels::PCS_REPLICA_INDEX).is_some()
}

fn detach(pod: &Pod, purpose: Purpose) -> Option<Action> {
    let index = ownership::label(&pod.metadata, labels::PCS_REPLICA_INDEX)?;
    let label = Pointer::label(labels::PCS_REPLICA_INDEX);
    let patch = GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&label, index)
        .remove(&label);
    Some(patch.because(purpose))
}

/// Once for each pod.
fn warn(snapshot: &Snapshot, pod: &Pod) -> Option<Event> {
    let (rank, podclique) = (pod.index()?, ownership::name(&snapshot.podclique.metadata));
    let node = pod.spec.node_name.as_deref();
    let place = node.map_or(String::new(), |node| format!(" on {node}"));
    let text = format!(
        "rank {rank} of {podclique} is started again although its old pod{place} may still be running"
    );
    let event = Event::warning(events::STUCK_POD_REPLACED, text);
    Some(event.once(pod.uid()).about(snapshot.set_target()?))
}
