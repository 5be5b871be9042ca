//! Pods of an older template are replaced on their replica's turn, within the budget
//! (docs/semantics.md §14.4). Deleted here, they are recreated as missing pods.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use domain::update::Stage;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::rollout;

/// Deletes surge pods that have served their purpose, pods that are down or have no node at once,
/// and as many available ones as the budget allows, those with the highest index first. Each
/// deletion names the observed version: a pod that became Ready meanwhile is counted first. Nothing
/// is deleted before the number of pods that were available is stored. At an index that stays vacant
/// a pod without a node goes also below the indexes that are replaced: nothing comes after it.
pub(super) fn plan_outdated_pods(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let stored = snapshot.update_progress();
    let reached = stored.and_then(|progress| progress.reached);
    if reached.is_none() || !is_due(snapshot) {
        return Vec::new();
    }
    let pods = rollout::staged(snapshot, now);
    let component = rollout::component(snapshot, &pods, now);
    let surge = rollout::surge_units(snapshot, &pods);
    let (released, component) = component.release_surge(surge);
    let released: BTreeSet<i32> = released.iter().map(|unit| unit.index).collect();
    let is_released = |pod: &Pod| pod.index().is_some_and(|k| released.contains(&k));
    let (going, staying): (Vec<_>, Vec<_>) = pods.iter().partition(|(pod, _)| is_released(pod));
    let (from, is_surge) = (snapshot.first_replaced(), rollout::surge_of(snapshot));
    let held = rollout::held_indexes(snapshot);
    let is_due = |pod: &Pod, stage: Stage| {
        let is_in = |may_go: &dyn Fn(i32) -> bool| pod.index().is_some_and(may_go);
        let is_left_out = stage == Stage::OldUnplaced && is_in(&|k| held.contains(&k));
        is_surge(pod) || is_in(&|k| k >= from) || is_left_out
    };
    let in_stage = |wanted: &'static [Stage]| {
        let found = staying.iter();
        found
            .filter(|(pod, stage)| wanted.contains(stage) && is_due(pod, *stage))
            .map(|(pod, _)| *pod)
    };
    let is_held = |pod: &Pod| snapshot.holds_old_surge() && is_surge(pod);
    let available = in_stage(&[Stage::OldAvailable]);
    let mut available: Vec<_> = available.filter(|pod| !is_held(pod)).collect();
    available.sort_by_key(|pod| Reverse(pod.index()));
    let uid = ownership::uid(&snapshot.podclique.metadata);
    let old = in_stage(&[Stage::OldUnplaced, Stage::OldDown])
        .chain(available.into_iter().take(component.deletable()))
        .map(|pod| (pod, Purpose::UpdatePod));
    going
        .iter()
        .map(|(pod, _)| (*pod, Purpose::RemoveSurge))
        .chain(old)
        .filter(|(pod, _)| ownership::is_controlled_by(&pod.metadata, uid))
        .map(|(pod, purpose)| Action::delete_as_seen::<Pod>(&pod.metadata, purpose))
        .collect()
}

/// Whether missing surge pods are created now.
pub(super) fn fills_surge(snapshot: &Snapshot, now: Timestamp) -> bool {
    is_due(snapshot) && {
        let pods = rollout::staged(snapshot, now);
        rollout::component(snapshot, &pods, now).fills_surge()
    }
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
