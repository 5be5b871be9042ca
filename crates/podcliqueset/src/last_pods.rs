//! The pods that a set waits for until they have ended: in a job that was given up, and before a resume.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use domain::Pod;
use domain::health::suspended_pods::SuspendedPods;
use domain::health::{availability, failure, termination};
use domain::roster::{ObservedClique, Roster, Slot};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// Until when the operator waits for a pod that has not ended: until it ends, or until it is stuck
/// in Terminating. `None` if there is no such pod; the wait for a pod that is not even terminating
/// has no limit.
pub fn next_end(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> Option<Timestamp> {
    let pods = roster.own().flat_map(|c| &c.pods);
    ends(snapshot, pods.filter(|pod| !pod.has_run_out()), now).min()
}

/// The same of the pods that a suspension has to delete.
pub fn next_suspended_end(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    ends(snapshot, suspended(snapshot, roster), now).min()
}

/// The number of pods that a suspension has yet to delete.
pub fn count_suspended(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> usize {
    ends(snapshot, suspended(snapshot, roster), now).count()
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

/// The pods that a suspension deletes, by the same rule as that of their PodCliques.
fn suspended<'r, 'a: 'r>(
    snapshot: &'r Snapshot,
    roster: &'r Roster<'a>,
) -> impl Iterator<Item = &'a Arc<Pod>> + 'r {
    let kept = snapshot.stored.status.as_ref();
    let kept = kept.map_or(&[][..], |s| s.last_failures.as_slice());
    roster.own().flat_map(move |seen| {
        let position = roster.position_of(seen.name());
        let group = position.and_then(|position| position.group);
        let group = group.map(|(config, _)| config);
        let delay = termination::delay_of_job(&snapshot.stored, group);
        let is_noted = move |pod: &Pod| failure::is_noted(pod, kept);
        let rule = SuspendedPods::of(&seen.podclique, &seen.pods, delay, is_noted);
        seen.pods.iter().filter(move |pod| rule.deletes(pod))
    })
}

fn ends<'a>(
    snapshot: &Snapshot,
    pods: impl Iterator<Item = &'a Arc<Pod>>,
    now: Timestamp,
) -> impl Iterator<Item = Timestamp> {
    pods.filter_map(|pod| end_of(snapshot, pod))
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
