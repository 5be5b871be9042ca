//! A pod may be scheduled as soon as its PodGang lists it; nothing else is asked (docs/semantics.md §8.3), but
//! that the list is one of ours.

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

/// Takes our gate off and leaves those of others.
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
