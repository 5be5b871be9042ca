//! Without an operator the counts in statuses are old: the branches whose pods say something else.

use super::branch::{Branch, BranchKind};
use crate::output::count;
use crate::workload::{Workload, pod_state};

/// Marks the PodCliques that count other pods as Ready than those that are; what is above them is as
/// old.
pub fn mark_contradictions(branch: &mut Branch, workload: &Workload) {
    for child in &mut branch.children {
        mark_contradictions(child, workload);
    }
    if branch.kind != BranchKind::Clique {
        return;
    }
    let Some(podclique) = workload.podclique(&branch.name) else {
        return;
    };
    let pods = workload.pods_of(podclique).into_iter();
    let ready = pods.filter(|pod| pod_state::is_ready(pod)).count();
    let told = podclique.status.as_ref().map_or(0, |s| s.ready_replicas);
    if usize::try_from(told).unwrap_or(0) != ready {
        let told = count(usize::try_from(told).unwrap_or(0), "ready pod");
        branch.is_good = Some(false);
        branch.cause = Some(format!("its status has {told}, but {ready} are ready now"));
    }
}
