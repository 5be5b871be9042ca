//! A PodClique of a suspended set deletes its unfinished pods, including those that appear later, once it
//! is stored that it starts like a new one afterwards (`wasIdle`). Pods that have ended keep their logs.
//!
//! In a job a pod may fail because its peers go. The job keeps no failure while it is suspended, so such
//! a pod is not among its failures: it goes too, and is none after the resume (decision 173). So does an
//! earlier failure that is not judged after the resume.
//!
//! Healthy pods go, so nothing is deleted while the view may be outdated: the set may be resumed. A view
//! that lags behind shows a pod that has done its work as running: each deletion is of the version seen
//! (decision 156). A limit keeps no pod: the resume waits until all are gone.

use domain::Pod;
use domain::health::suspended_pods::SuspendedPods;
use domain::plan::{Action, Purpose};

use crate::observe::Snapshot;

pub(super) fn deletions(snapshot: &Snapshot) -> Vec<Action> {
    if snapshot.is_view_outdated {
        return Vec::new();
    }
    let rule = rule_of(snapshot);
    snapshot
        .own_pods()
        .filter(|p| !p.is_terminating() && rule.deletes(p))
        .map(|p| Action::delete_as_seen::<Pod>(&p.metadata, Purpose::Suspend))
        .collect()
}

/// The rule for the pods that go; it holds for a lost quota too.
pub(super) fn rule_of(snapshot: &Snapshot) -> SuspendedPods<impl Fn(&Pod) -> bool> {
    let set = snapshot.set.as_ref();
    let is_noted = move |pod: &Pod| set.is_none_or(|s| !s.unnoted_failures.contains(pod.uid()));
    let delay = snapshot.job_delay();
    SuspendedPods::of(&snapshot.podclique, &snapshot.pods, delay, is_noted)
}
