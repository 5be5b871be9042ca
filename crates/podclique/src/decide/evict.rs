//! Pods of a gang that lost quota go (docs/queues.md, decision 177): all that were created before the gang
//! lost it, gated or not, as a gate may be on its way; and where a part of it was lost, as many as have
//! none, the highest indexes first. New pods wait behind their gate.
//!
//! Healthy pods go, so nothing is deleted while the view may be outdated, and each deletion is of the
//! version seen, as in a suspension (decision 156). A limit keeps no pod: the quota is returned when all are
//! gone.

use std::cmp::Reverse;
use std::sync::Arc;

use api::PodGang;
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::scheduling::quota;

use super::suspend;
use crate::observe::Snapshot;

pub(super) fn deletions(snapshot: &Snapshot) -> Vec<Action> {
    let Some(gang) = snapshot.gang.as_deref() else {
        return Vec::new();
    };
    let is_queued = quota::is_held(gang) || quota::is_reserved(gang);
    if !is_queued || snapshot.is_view_outdated {
        return Vec::new();
    }
    let rule = suspend::rule_of(snapshot);
    let staying = snapshot.own_pods().filter(|pod| !pod.is_terminating());
    let (earlier, present): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) =
        staying.partition(|pod| quota::is_of_earlier_round(gang, pod));
    let earlier = earlier.into_iter().filter(|pod| rule.deletes(pod));
    let surplus = find_surplus(snapshot, gang, present);
    earlier
        .chain(surplus)
        .map(|pod| Action::delete_as_seen::<Pod>(&pod.metadata, Purpose::EvictPod))
        .collect()
}

/// Pods that may run beyond the quota of their PodClique, and where the scheduler waits for gates those
/// behind one, too (decision 179). Those that end already are not counted: nobody else goes while they take
/// their time.
fn find_surplus<'a>(
    snapshot: &Snapshot,
    gang: &PodGang,
    pods: Vec<&'a Arc<Pod>>,
) -> Vec<&'a Arc<Pod>> {
    if !quota::is_reserved(gang) {
        return Vec::new();
    }
    let pods = pods.into_iter().filter(|pod| !pod.has_run_out());
    let (mut gated, mut running): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) =
        pods.partition(|pod| pod.gate_position().is_some());
    let granted = quota::granted(gang, ownership::name(&snapshot.podclique.metadata));
    let granted = usize::try_from(granted).unwrap_or(0);
    let room = granted.saturating_sub(running.len());
    keep_lowest(&mut running, granted);
    if snapshot.scheduler.backend.waits_for_gates() {
        keep_lowest(&mut gated, room);
        running.append(&mut gated);
    }
    running
}

/// Leaves the pods beyond this number, the highest indexes.
fn keep_lowest(pods: &mut Vec<&Arc<Pod>>, number: usize) {
    pods.sort_by_key(|pod| Reverse(pod.index()));
    pods.truncate(pods.len().saturating_sub(number));
}

impl Snapshot {
    /// How many more pods may start with the quota of the PodClique; below 0 if more use it than have it.
    /// `None`: its gang runs outside the quota of queues.
    pub(super) fn quota_room(&self) -> Option<i32> {
        let gang = self.gang.as_deref()?;
        if quota::is_held(gang) {
            return Some(0);
        }
        if !quota::is_reserved(gang) {
            return None;
        }
        let granted = quota::granted(gang, ownership::name(&self.podclique.metadata));
        let used = quota::count_users(self.pods.iter().map(AsRef::as_ref));
        Some(granted.saturating_sub(used))
    }
}
