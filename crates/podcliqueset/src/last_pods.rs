//! The pods that a set waits for until they have ended: in a job that was given up, and before a resume.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use domain::Pod;
use domain::health::{availability, failure};
use domain::roster::{ObservedClique, Roster, Slot};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// Until when the operator waits for a pod that has not ended: until it ends, or until it is stuck
/// in Terminating. `None` if there is no such pod; the wait for a pod that is not even terminating
/// has no limit.
pub fn next_end(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> Option<Timestamp> {
    ends(snapshot, roster, now, |pod| !pod.has_run_out()).min()
}

/// The same of the pods that a suspension has to delete.
pub fn next_suspended_end(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    ends(snapshot, roster, now, |pod| goes(snapshot, pod)).min()
}

/// The number of pods that a suspension has yet to delete.
pub fn count_suspended(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> usize {
    ends(snapshot, roster, now, |pod| goes(snapshot, pod)).count()
}

/// The first PodClique, by name, that has yet to store that it starts like a new one.
pub fn find_unaware<'a>(roster: &Roster<'a>) -> Option<&'a str> {
    let current = roster.found().filter_map(|found| match found.slot {
        Slot::Current(clique) => Some(clique),
        _ => None,
    });
    let unaware = current.filter(|c| availability::is_established(&c.podclique) || is_breached(c));
    unaware.map(ObservedClique::name).min()
}

/// Whether the stored breach is from before the suspension.
fn is_breached(seen: &ObservedClique) -> bool {
    let status = seen.podclique.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::MinAvailableBreached))
}

/// Whether a suspension deletes the pod: one that has not ended, and in a job one that failed since.
fn goes(snapshot: &Snapshot, pod: &Pod) -> bool {
    let kept = snapshot.stored.status.as_ref();
    let kept = kept.map_or(&[][..], |s| s.last_failures.as_slice());
    let has_failed_since =
        || snapshot.is_training() && pod.is_failed() && !failure::is_noted(pod, kept);
    !pod.has_run_out() || has_failed_since()
}

fn ends<'a>(
    snapshot: &'a Snapshot,
    roster: &Roster<'a>,
    now: Timestamp,
    is_awaited: impl Fn(&Pod) -> bool + 'a,
) -> impl Iterator<Item = Timestamp> + 'a {
    let pods: Vec<&'a Arc<Pod>> = roster.own().flat_map(|c| &c.pods).collect();
    pods.into_iter()
        .filter(move |pod| is_awaited(pod))
        .filter_map(|pod| end_of(snapshot, pod))
        .filter(move |end| *end > now)
}

fn end_of(snapshot: &Snapshot, pod: &Pod) -> Option<Timestamp> {
    if !pod.is_terminating() {
        return Some(Timestamp::MAX);
    }
    let node = pod.spec.node_name.as_ref();
    let is_on_ready_node = node.is_some_and(|node| snapshot.view.nodes_in_service.contains(node));
    snapshot
        .view
        .stuck_timeouts
        .end_until(pod, is_on_ready_node)
}
