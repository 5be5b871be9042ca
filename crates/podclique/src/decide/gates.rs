//! A pod may be scheduled as soon as its PodGang lists it; the only other condition is that this
//! operator wrote the list (docs/semantics.md §8.3).

use api::labels;
use domain::Pod;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use domain::workload::gang;

use crate::observe::Snapshot;

pub(super) fn removals(snapshot: &Snapshot) -> Vec<Action> {
    if !snapshot.gang.as_deref().is_some_and(gang::opens_gates) {
        return Vec::new();
    }
    let listed = snapshot.listed();
    snapshot
        .pods
        .iter()
        .filter(|p| !p.is_terminating() && listed.contains(p.name()))
        .filter_map(|pod| removal(pod))
        .collect()
}

/// Removes our gate and leaves foreign gates.
fn removal(pod: &Pod) -> Option<Action> {
    let position = pod.gate_position()?.to_string();
    let gate = Pointer::to(&["spec", "schedulingGates", &position]);
    let patch = GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&gate.then("name"), labels::POD_GANG_GATE)
        .remove(&gate);
    Some(patch.because(Purpose::RemoveGate))
}
