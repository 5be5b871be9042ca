//! Pods that ended (evicted, node lost, containers done) are replaced in their slot: deleted, then
//! created again. A slot whose pods end soon after their start waits longer each time; the pod
//! carries how often that happened.
//!
//! In a training job only failed pods are replaced, and only while the failure does not count for
//! the whole replica (docs/semantics.md §5.6).

use domain::Pod;
use domain::health::availability::CliqueFacts;
use domain::plan::{Action, Purpose};
use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;

const INITIAL_WAIT: SignedDuration = SignedDuration::from_secs(10);
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(5);

/// Pods whose replacement is due.
pub(super) fn replacements(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let due = finished(snapshot).filter(|pod| due_at(pod).is_none_or(|due| due <= now));
    due.map(|pod| Action::delete::<Pod>(&pod.metadata, Purpose::ReplacePod))
        .collect()
}

/// The next moment at which one is due.
pub(super) fn next_due(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    finished(snapshot)
        .filter_map(due_at)
        .filter(|due| *due > now)
        .min()
}

/// Whether single slots of a training clique are filled again: while enough pods are up, or while
/// the delay of a clique that was available runs. Otherwise the failure counts for the whole
/// replica. Free slots of a clique that was never available are filled (it is being created), but
/// its failed pods stay.
pub(super) fn may_refill(snapshot: &Snapshot) -> bool {
    let Some(set) = snapshot.set.as_ref().filter(|_| snapshot.is_training()) else {
        return true;
    };
    let facts = facts_of_clique(snapshot);
    is_up(&facts) || !facts.was_available || set.training_delay.is_positive()
}

fn finished(snapshot: &Snapshot) -> impl Iterator<Item = &Pod> {
    let is_training = snapshot.is_training();
    let is_replaceable = !is_training || {
        let facts = facts_of_clique(snapshot);
        let is_over = snapshot.set.as_ref().is_none_or(|s| s.is_over);
        !is_over && may_refill(snapshot) && (is_up(&facts) || facts.was_available)
    };
    let pods = snapshot.own_pods().map(AsRef::as_ref);
    pods.filter(move |p: &&Pod| {
        let has_ended = if is_training {
            p.is_failed()
        } else {
            p.is_finished() && !p.is_terminating()
        };
        is_replaceable && has_ended
    })
}

fn facts_of_clique(snapshot: &Snapshot) -> CliqueFacts {
    CliqueFacts::of(&snapshot.podclique, snapshot.pods.iter().map(AsRef::as_ref))
}

fn is_up(facts: &CliqueFacts) -> bool {
    facts.available >= facts.minimum() || facts.restarts_in_place()
}

/// At once the first time, then 10 s after the end, doubling up to 5 min.
fn due_at(pod: &Pod) -> Option<Timestamp> {
    let wait = match pod.earlier_failures() {
        0 => SignedDuration::ZERO,
        n => (1..n.min(10))
            .fold(INITIAL_WAIT, |wait, _| wait.saturating_mul(2))
            .min(MAX_WAIT),
    };
    pod.ended_at()?.checked_add(wait).ok()
}
