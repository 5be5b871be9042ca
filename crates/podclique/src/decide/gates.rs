//! A pod may be scheduled as soon as its PodGang lists it; the only other condition is that this
//! operator wrote the list (docs/semantics.md §8.3).

use api::labels;
use domain::Pod;
use domain::plan::{Action, Purpose, Target};
use domain::workload::gang;
use serde_json::json;

use crate::observe::Snapshot;

pub(super) fn removals(snapshot: &Snapshot) -> Vec<Action> {
    if !snapshot.gang.as_deref().is_some_and(gang::opens_gates) {
        return Vec::new();
    }
    let listed = snapshot.listed();
    let pods = snapshot
        .pods
        .iter()
        .filter(|p| !p.is_terminating() && listed.contains(p.name()));
    pods.filter_map(|pod| removal(pod)).collect()
}

/// Removes our gate and leaves foreign gates.
fn removal(pod: &Pod) -> Option<Action> {
    let path = format!("/spec/schedulingGates/{}", pod.gate_position()?);
    Some(Action::Patch {
        target: Target::of::<Pod>(&pod.metadata),
        operations: json!([
            {"op": "test", "path": "/metadata/uid", "value": pod.uid()},
            {"op": "test", "path": format!("{path}/name"), "value": labels::POD_GANG_GATE},
            {"op": "remove", "path": path},
        ]),
        purpose: Purpose::RemoveGate,
    })
}
