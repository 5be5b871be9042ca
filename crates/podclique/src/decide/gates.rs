//! A pod may be scheduled as soon as its PodGang lists it; the only other condition is that this
//! operator wrote the list (docs/semantics.md §8.3). A pod that joins others in a topology domain
//! gets the node labels of the domain in the same write, and a pod with quota of a queue those of its
//! flavor: afterwards a pod takes no node selector.

use std::collections::BTreeMap;

use api::labels;
use api::podgang::GrantedPods;
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use domain::scheduling::quota;
use domain::workload::gang;

use crate::observe::Snapshot;

/// Node labels by key.
type Selector = BTreeMap<String, String>;

pub(super) fn removals(snapshot: &Snapshot) -> Vec<Action> {
    let Some(gang) = snapshot.gang.as_deref().filter(|g| gang::opens_gates(g)) else {
        return Vec::new();
    };
    let mut gated = snapshot
        .pods
        .iter()
        .filter(|p| !p.is_terminating() && p.gate_position().is_some())
        .peekable();
    // Most decisions find no gate, and the list may have thousands of pods.
    if gated.peek().is_none() {
        return Vec::new();
    }
    let listed = snapshot.listed();
    let name = ownership::name(&snapshot.podclique.metadata);
    let removals = gated
        .filter(|p| listed.contains(p.name()))
        .filter(|p| !quota::is_of_earlier_round(gang, p));
    let Some(room) = snapshot.quota_room() else {
        return removals
            .filter_map(|pod| removal(pod, snapshot.placement_of(pod), None))
            .collect();
    };
    let removals = removals.filter_map(|pod| {
        let flavor = quota::flavor_of(gang, name, pod.index()?)?;
        removal(pod, snapshot.placement_of(pod), Some(flavor))
    });
    removals.take(usize::try_from(room).unwrap_or(0)).collect()
}

/// Removes our gate and leaves foreign gates. A pod whose node labels contradict each other would never
/// find a node: it keeps the gate.
fn removal(
    pod: &Pod,
    placement: Option<&Selector>,
    flavor: Option<&GrantedPods>,
) -> Option<Action> {
    let position = pod.gate_position()?.to_string();
    let gate = Pointer::to(&["spec", "schedulingGates", &position]);
    let patch = GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&gate.then("name"), labels::POD_GANG_GATE)
        .remove(&gate);
    let none = Selector::new();
    let pin = lacking(pod, placement.unwrap_or(&none));
    let nodes = flavor.map_or(&none, |flavor| &flavor.node_selector);
    let pinned = placement.and_then(|placement| quota::contradiction(placement, nodes));
    if pinned
        .or_else(|| quota::contradiction(&pod.spec.node_selector, nodes))
        .is_some()
    {
        return None;
    }
    let mut missing = lacking(pod, nodes);
    missing.extend(pin.clone());
    let patch = select_nodes(patch, pod, &missing);
    let patch = if pin.is_empty() {
        patch
    } else {
        note_pin(patch, pod, &pin)
    };
    let patch = match flavor {
        Some(flavor) => tolerate(patch, pod, flavor),
        None => patch,
    };
    Some(patch.because(Purpose::RemoveGate))
}

/// The node labels that the pod's own selector lacks: the API server lets a gated pod have more of
/// them, and no other values.
fn lacking(pod: &Pod, selector: &Selector) -> Selector {
    let own = &pod.spec.node_selector;
    selector
        .iter()
        .filter(|(key, _)| !own.contains_key(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Adds node labels that the pod does not select yet.
fn select_nodes(patch: GuardedPatch, pod: &Pod, missing: &Selector) -> GuardedPatch {
    let place = Pointer::to(&["spec", "nodeSelector"]);
    if missing.is_empty() {
        patch
    } else if pod.spec.node_selector.is_empty() {
        patch.add(&place, missing)
    } else {
        let labels = missing.iter();
        labels.fold(patch, |patch, (key, value)| {
            patch.add(&place.then(key), value)
        })
    }
}

/// Adds the tolerations of the flavor.
fn tolerate(patch: GuardedPatch, pod: &Pod, flavor: &GrantedPods) -> GuardedPatch {
    let place = Pointer::to(&["spec", "tolerations"]);
    if flavor.tolerations.is_empty() {
        patch
    } else if pod.spec.has_tolerations {
        let tolerations = flavor.tolerations.iter();
        tolerations.fold(patch, |patch, toleration| {
            patch.add(&place.then("-"), toleration)
        })
    } else {
        patch.add(&place, &flavor.tolerations)
    }
}

fn note_pin(patch: GuardedPatch, pod: &Pod, pin: &Selector) -> GuardedPatch {
    let text = serde_json::to_string(pin).unwrap_or_default();
    if pod.metadata.annotations.is_some() {
        return patch.add(&Pointer::annotation(labels::PINNED), text);
    }
    let all = BTreeMap::from([(labels::PINNED, text)]);
    patch.add(&Pointer::to(&["metadata", "annotations"]), all)
}
