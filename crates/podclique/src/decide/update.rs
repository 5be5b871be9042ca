//! Pods of an older template are replaced on their replica's turn, within the budget
//! (docs/semantics.md §14.4). Deleted here, they are recreated as missing pods.

use std::cmp::Reverse;
use std::sync::Arc;

use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::update::{self, Stage};
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::rollout;

/// Deletes pods that are down or have no node at once, and as many available ones as the budget
/// allows, those with the highest index first. Each deletion names the observed version: a pod that
/// became Ready meanwhile is counted first. Nothing is deleted before the number of pods that were
/// available is stored.
pub(super) fn plan_outdated_pods(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let stored = snapshot.update_progress();
    let reached = stored.and_then(|progress| progress.reached);
    if reached.is_none() || !is_due(snapshot) {
        return Vec::new();
    }
    let pods: Vec<(&Arc<Pod>, Stage)> = rollout::staged(snapshot, now).collect();
    let stages = pods.iter().map(|(_, stage)| *stage);
    let limit = update::max_unavailable(
        snapshot.rolling_update().and_then(|r| r.max_unavailable),
        snapshot.podclique.spec.replicas,
    );
    let budget = rollout::component(snapshot, stages, now).deletable(limit);
    let in_stage = |wanted: &'static [Stage]| {
        let found = pods.iter().filter(|(_, stage)| wanted.contains(stage));
        found.map(|(pod, _)| *pod)
    };
    let mut available: Vec<_> = in_stage(&[Stage::OldAvailable]).collect();
    available.sort_by_key(|pod| Reverse(pod.index()));
    let uid = ownership::uid(&snapshot.podclique.metadata);
    in_stage(&[Stage::OldUnplaced, Stage::OldDown])
        .chain(available.into_iter().take(budget))
        .filter(|pod| ownership::is_controlled_by(&pod.metadata, uid))
        .map(|pod| Action::delete_as_seen::<Pod>(&pod.metadata, Purpose::UpdatePod))
        .collect()
}

/// Whether pods are replaced now: the PodClique has the newest template, and no other change of its
/// pods comes first. Cliques of a group are recreated as a whole.
fn is_due(snapshot: &Snapshot) -> bool {
    snapshot.is_updating()
        && !snapshot.is_update_held()
        && !snapshot.is_grouped()
        && snapshot.has_newest_template()
        && !snapshot.is_over_limits()
}
