//! A pod may be scheduled as soon as its PodGang lists it; the only other condition is that this
//! operator wrote the list (docs/semantics.md §8.3). A pod that joins others in a topology domain
//! gets the node labels of the domain in the same write: afterwards a pod takes no node selector.

use std::collections::BTreeMap;

use api::labels;
use domain::Pod;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use domain::workload::gang;

use crate::observe::Snapshot;

/// Node labels by key.
type Selector = BTreeMap<String, String>;

pub(super) fn removals(snapshot: &Snapshot) -> Vec<Action> {
    if !snapshot.gang.as_deref().is_some_and(gang::opens_gates) {
        return Vec::new();
    }
    let listed = snapshot.listed();
    snapshot
        .pods
        .iter()
        .filter(|p| !p.is_terminating() && listed.contains(p.name()))
        .filter_map(|pod| removal(pod, snapshot.placement_of(pod)))
        .collect()
}

/// Removes our gate and leaves foreign gates.
fn removal(pod: &Pod, placement: Option<&Selector>) -> Option<Action> {
    let position = pod.gate_position()?.to_string();
    let gate = Pointer::to(&["spec", "schedulingGates", &position]);
    let patch = GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&gate.then("name"), labels::POD_GANG_GATE)
        .remove(&gate);
    let patch = match placement {
        Some(selector) => pin(patch, pod, selector),
        None => patch,
    };
    Some(patch.because(Purpose::RemoveGate))
}

/// Adds the node labels that the pod's own selector lacks, and notes them: the API server lets a
/// gated pod have more of them, and no other values.
fn pin(patch: GuardedPatch, pod: &Pod, selector: &Selector) -> GuardedPatch {
    let own = &pod.spec.node_selector;
    let missing: Selector = selector
        .iter()
        .filter(|(key, _)| !own.contains_key(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if missing.is_empty() {
        return patch;
    }
    let place = Pointer::to(&["spec", "nodeSelector"]);
    let patch = if own.is_empty() {
        patch.add(&place, &missing)
    } else {
        let labels = missing.iter();
        labels.fold(patch, |patch, (key, value)| {
            patch.add(&place.then(key), value)
        })
    };
    note_pin(patch, pod, &missing)
}

fn note_pin(patch: GuardedPatch, pod: &Pod, pin: &Selector) -> GuardedPatch {
    let text = serde_json::to_string(pin).unwrap_or_default();
    if pod.metadata.annotations.is_some() {
        return patch.add(&Pointer::annotation(labels::PINNED), text);
    }
    let all = BTreeMap::from([(labels::PINNED, text)]);
    patch.add(&Pointer::to(&["metadata", "annotations"]), all)
}
