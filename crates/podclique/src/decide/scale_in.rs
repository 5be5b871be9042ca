//! Chooses the pods that scale-in deletes: the least useful first (docs/semantics.md §6.5). Only
//! pods that the PodClique controls; pods without a controller are adopted first. Surge pods are
//! not counted: the update deletes them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use api::labels;
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose};

use crate::observe::Snapshot;
use crate::rollout;

pub(super) fn deletions(snapshot: &Snapshot) -> Vec<Action> {
    let mut actions = duplicates(snapshot);
    if actions.is_empty() && !snapshot.is_over_limits() {
        actions = surplus(snapshot);
    }
    actions
}

/// Two pods on one index can only result from a late answer: the pod that is done or Ready stays,
/// else the older one.
fn duplicates(snapshot: &Snapshot) -> Vec<Action> {
    let staying = || snapshot.own_pods().filter(|p| !p.is_terminating());
    let mut indexes: Vec<i32> = staying().filter_map(|p| p.index()).collect();
    let count = indexes.len();
    indexes.sort_unstable();
    indexes.dedup();
    // Nearly always, and each decision comes here.
    if indexes.len() == count {
        return Vec::new();
    }
    let mut by_index: BTreeMap<i32, Vec<&Arc<Pod>>> = BTreeMap::new();
    for pod in staying() {
        if let Some(index) = pod.index() {
            by_index.entry(index).or_default().push(pod);
        }
    }
    let mut actions = Vec::new();
    for pods in by_index.values_mut() {
        pods.sort_by_key(|p| {
            (
                !p.is_completed(),
                !p.is_ready(),
                age(p),
                p.name().to_owned(),
            )
        });
        let extra = pods.iter().skip(1);
        actions.extend(extra.map(|p| Action::delete::<Pod>(&p.metadata, Purpose::RemoveSecondPod)));
    }
    actions
}

fn surplus(snapshot: &Snapshot) -> Vec<Action> {
    let wanted = usize::try_from(snapshot.podclique.spec.replicas).unwrap_or(0);
    let is_surge = rollout::surge_of(snapshot);
    let mut pods: Vec<&Arc<Pod>> = snapshot
        .own_pods()
        .filter(|p| !p.is_terminating() && !is_surge(p))
        .collect();
    let excess = pods.len().saturating_sub(wanted);
    if excess == 0 {
        return Vec::new();
    }
    let hash = ownership::label(&snapshot.podclique.metadata, labels::POD_TEMPLATE_HASH);
    pods.sort_by_cached_key(|p| worth(snapshot, p, hash));
    pods.iter()
        .take(excess)
        .map(|p| Action::delete::<Pod>(&p.metadata, Purpose::ScaleInPod))
        .collect()
}

type Worth = (bool, u8, bool, bool, Reverse<jiff::Timestamp>, Reverse<i32>);

/// The least useful first: not bound, then by phase, not Ready, outdated, younger, higher index. A pod
/// that keeps its older template is not outdated: else scale-in would leave the canary alone.
fn worth(snapshot: &Snapshot, pod: &Pod, hash: Option<&str>) -> Worth {
    let phase = match pod.status.phase.as_deref() {
        Some("Running") => 2,
        Some("Unknown") => 1,
        _ => 0,
    };
    let is_kept = pod
        .index()
        .is_some_and(|k| snapshot.older.find(k).is_some());
    let has_newest = ownership::label(&pod.metadata, labels::POD_TEMPLATE_HASH) == hash;
    let is_updated = has_newest || is_kept;
    (
        pod.spec.node_name.is_some(),
        phase,
        pod.is_ready(),
        is_updated,
        Reverse(age(pod)),
        Reverse(pod.index().unwrap_or(i32::MAX)),
    )
}

fn age(pod: &Pod) -> jiff::Timestamp {
    pod.metadata
        .creation_timestamp
        .as_ref()
        .map_or(jiff::Timestamp::MAX, |t| t.0)
}
