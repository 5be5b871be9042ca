//! Pods that hang in Terminating: a dead node never confirms the end of its pods (docs/semantics.md
//! §6.3).

use std::sync::Arc;

use api::labels;
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target};
use jiff::Timestamp;
use serde_json::json;

use crate::observe::Snapshot;

/// When a terminating pod stops being waited for.
fn deadline(snapshot: &Snapshot, pod: &Pod) -> Option<Timestamp> {
    let since = pod.metadata.deletion_timestamp.as_ref()?.0;
    since.checked_add(snapshot.stuck_pod_timeout).ok()
}

fn is_overdue(snapshot: &Snapshot, pod: &Pod, now: Timestamp) -> bool {
    deadline(snapshot, pod).is_some_and(|d| d <= now)
}

/// Whether the pod's slot is free although the pod is there. It still counts as held while the
/// pod is selected by the headless Service: a rank's DNS name must never lead to two pods.
pub(super) fn is_stuck(snapshot: &Snapshot, pod: &Pod, now: Timestamp) -> bool {
    is_overdue(snapshot, pod, now)
        && ownership::label(&pod.metadata, labels::PCS_REPLICA_INDEX).is_none()
}

/// Takes the expired pods out of the headless Service.
pub(super) fn detachments(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let expired = snapshot
        .pods
        .iter()
        .filter(|p| is_overdue(snapshot, p, now));
    expired
        .filter_map(|pod| detach(pod, Purpose::DetachStuckPod))
        .collect()
}

/// Takes pods that an earlier attempt released out of the headless Service.
pub(super) fn farewells(snapshot: &Snapshot) -> Vec<Action> {
    let released = snapshot.released.iter();
    released
        .filter_map(|pod| detach(pod, Purpose::DetachReleasedPod))
        .collect()
}

/// Slots whose rank has a released pod that is still selected by the headless Service.
pub(super) fn occupied(snapshot: &Snapshot) -> impl Iterator<Item = i32> {
    let is_selected =
        |p: &&Arc<Pod>| ownership::label(&p.metadata, labels::PCS_REPLICA_INDEX).is_some();
    let released = snapshot.released.iter();
    released.filter(is_selected).filter_map(|p| p.index())
}

fn detach(pod: &Pod, purpose: Purpose) -> Option<Action> {
    let index = ownership::label(&pod.metadata, labels::PCS_REPLICA_INDEX)?;
    let path = ownership::label_pointer(labels::PCS_REPLICA_INDEX);
    Some(Action::Patch {
        target: Target::of::<Pod>(&pod.metadata),
        operations: json!([
            {"op": "test", "path": "/metadata/uid", "value": pod.uid()},
            {"op": "test", "path": path, "value": index},
            {"op": "remove", "path": path},
        ]),
        purpose,
    })
}

/// The next moment at which a terminating pod becomes expired.
pub(super) fn next_deadline(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    snapshot
        .pods
        .iter()
        .filter_map(|p| deadline(snapshot, p))
        .filter(|d| *d > now)
        .min()
}
