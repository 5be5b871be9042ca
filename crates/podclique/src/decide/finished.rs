//! Pods of an Inference workload that ended (evicted, node lost, all containers done) are replaced
//! in their slot: deleted, then created anew. A slot whose pods end soon after their start waits
//! longer each time; how often that was is carried on the pod.

use api::WorkloadType;
use domain::Pod;
use domain::plan::{Action, Kind};
use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;

const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(10);
const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(5);

/// Pods whose replacement is due.
pub(super) fn replacements(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let due = finished(snapshot).filter(|pod| due_at(pod).is_none_or(|due| due <= now));
    due.map(|pod| Action::delete(Kind::Pod, &pod.metadata, "it ended and is replaced"))
        .collect()
}

/// The next moment at which one is due.
pub(super) fn next_due(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    finished(snapshot)
        .filter_map(due_at)
        .filter(|due| *due > now)
        .min()
}

fn finished(snapshot: &Snapshot) -> impl Iterator<Item = &Pod> {
    let is_training = snapshot.podclique.spec.workload_type == Some(WorkloadType::Training);
    let pods = snapshot.pods.iter().map(AsRef::as_ref);
    pods.filter(move |p: &&Pod| !is_training && p.is_finished() && !p.is_terminating())
}

/// At once the first time, then 10 s after the end, doubling up to 5 min.
fn due_at(pod: &Pod) -> Option<Timestamp> {
    let wait = match pod.earlier_quick_ends() {
        0 => SignedDuration::ZERO,
        n => (1..n.min(10))
            .fold(FIRST_WAIT, |wait, _| wait.saturating_mul(2))
            .min(LONGEST_WAIT),
    };
    pod.ended_at()?.checked_add(wait).ok()
}
