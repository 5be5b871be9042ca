//! A PodClique of a suspended set deletes its unfinished pods, including those that appear later, once it
//! is stored that it starts like a new one afterwards (`wasIdle`). Pods that have ended keep their logs.
//!
//! In a job a pod may fail because its peers go. The job keeps no failure while it is suspended, so such
//! a pod is not among its failures: it goes too, and is none after the resume (decision 173).
//!
//! Healthy pods go, so nothing is deleted while the view may be outdated: the set may be resumed. A view
//! that lags behind shows a pod that has done its work as running: each deletion is of the version seen
//! (decision 156).

use domain::Pod;
use domain::plan::{Action, Purpose};

use crate::observe::Snapshot;

pub(super) fn deletions(snapshot: &Snapshot) -> Vec<Action> {
    if snapshot.is_view_outdated || snapshot.is_over_limits() {
        return Vec::new();
    }
    snapshot
        .own_pods()
        .filter(|p| !p.is_terminating() && goes(snapshot, p))
        .map(|p| Action::delete_as_seen::<Pod>(&p.metadata, Purpose::Suspend))
        .collect()
}

/// Whether the pod goes: it has not ended, or its failure is none of the job.
pub(super) fn goes(snapshot: &Snapshot, pod: &Pod) -> bool {
    let set = snapshot.set.as_ref();
    !pod.has_run_out() || set.is_some_and(|s| s.unnoted_failures.contains(pod.uid()))
}
