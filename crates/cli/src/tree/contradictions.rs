//! Without an operator the statuses are old: the branches that the pods contradict.

use api::conditions::Reason;

use super::branch::{Branch, BranchKind, MISSING};
use crate::output::count;
use crate::workload::{Workload, pod_state};

/// The cause of a branch above a PodClique whose pods contradict its status.
const CHANGED: &str = "its pods have changed since the operator wrote its state";
/// The cause of a branch that should be whole, and is not.
const INCOMPLETE: &str = "objects of it have gone, or are new, since the operator wrote its state";

/// Marks the PodCliques whose statuses count other Ready pods than there are, the branches that are
/// `AllReady` and lack objects, and all branches above these. Returns whether it marked this one.
pub fn mark_contradictions(branch: &mut Branch, workload: &Workload) -> bool {
    let mut is_below = false;
    for child in &mut branch.children {
        is_below |= mark_contradictions(child, workload);
    }
    let cause = match branch.kind {
        BranchKind::Clique => contradict_count(branch, workload),
        _ if is_below => Some(CHANGED.to_owned()),
        _ => lacks_objects(branch).then(|| INCOMPLETE.to_owned()),
    };
    let is_contradicted = cause.is_some();
    if is_contradicted {
        branch.is_good = Some(false);
        branch.cause = cause;
    }
    is_contradicted
}

/// What contradicts the count in the status of a PodClique.
fn contradict_count(branch: &Branch, workload: &Workload) -> Option<String> {
    let podclique = workload.podclique(&branch.name)?;
    let pods = workload.pods_of(podclique).into_iter();
    let ready = pods.filter(|pod| pod_state::is_ready(pod)).count();
    let counted = podclique.status.as_ref().map_or(0, |s| s.ready_replicas);
    let counted = usize::try_from(counted).unwrap_or(0);
    (counted != ready).then(|| {
        let are = if ready == 1 { "is" } else { "are" };
        let (counted, ready) = (count(counted, "ready pod"), count(ready, "pod"));
        format!("status says {counted}; {ready} {are} ready now")
    })
}

/// Whether all of it should run by its state, and a part of it does not exist.
fn lacks_objects(branch: &Branch) -> bool {
    let is_whole = |reason: Reason| reason == Reason::AllReady;
    branch.state.parse().is_ok_and(is_whole) && has_missing(branch)
}

fn has_missing(branch: &Branch) -> bool {
    let mut children = branch.children.iter();
    children.any(|child| child.state == MISSING || has_missing(child))
}
