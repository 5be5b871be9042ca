//! Pods of an older template are replaced on their replica's turn, within the budget
//! (docs/semantics.md §14.4). Deleted here, they are recreated as missing pods.

use domain::Pod;
use domain::plan::{Action, Purpose};
use domain::update::{self, PodBudget};

use crate::observe::Snapshot;

/// Deletes pods that are not Ready at once, and as many Ready ones as the budget allows, the oldest
/// first. Each deletion names the observed version: a pod that became Ready meanwhile is counted
/// first.
pub(super) fn plan_outdated_pods(snapshot: &Snapshot) -> Vec<Action> {
    if !is_due(snapshot) {
        return Vec::new();
    }
    let meta = &snapshot.podclique.metadata;
    let staying = snapshot.own_pods().filter(|p| !p.is_terminating());
    let (old, new): (Vec<_>, Vec<_>) =
        staying.partition(|p| update::is_outdated(&p.metadata, meta));
    let (mut ready, waiting): (Vec<_>, Vec<_>) = old.into_iter().partition(|p| p.is_ready());
    ready.sort_by_cached_key(|p| (created_at(p), p.index()));
    let ready_new = new.iter().filter(|p| p.is_ready()).count();
    let budget = budget(snapshot, ready.len(), ready_new).deletable();
    waiting
        .into_iter()
        .chain(ready.into_iter().take(budget))
        .map(|p| Action::delete_as_seen::<Pod>(&p.metadata, Purpose::UpdatePod))
        .collect()
}

/// Whether pods are replaced now: the PodClique has the newest template, and no other change of its
/// pods comes first. Cliques of a group are recreated as a whole.
fn is_due(snapshot: &Snapshot) -> bool {
    snapshot.is_updating()
        && !snapshot.is_grouped()
        && snapshot.has_newest_template()
        && !snapshot.is_over_limits()
}

fn budget(snapshot: &Snapshot, ready_old: usize, ready_new: usize) -> PodBudget {
    let to_i32 = |count| i32::try_from(count).unwrap_or(i32::MAX);
    let spec = &snapshot.podclique.spec;
    let rolling = snapshot
        .set
        .as_ref()
        .and_then(|s| s.update.rolling.as_ref());
    PodBudget {
        desired: spec.replicas,
        min_available: spec.min_available.unwrap_or(spec.replicas),
        max_unavailable: rolling.and_then(|r| r.max_unavailable),
        ready_old: to_i32(ready_old),
        ready_new: to_i32(ready_new),
    }
}

fn created_at(pod: &Pod) -> jiff::Timestamp {
    let created = pod.metadata.creation_timestamp.as_ref();
    created.map_or(jiff::Timestamp::MAX, |t| t.0)
}
