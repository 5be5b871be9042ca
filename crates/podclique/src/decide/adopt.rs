//! Adoption: pods without a controller whose labels name this PodClique get its owner reference.
//! Their PodClique was deleted with `--cascade=orphan` and recreated, or the reference was removed.
//! Without adoption they would hold their GPUs for ever beside their replacements.

use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};

use crate::observe::Snapshot;

pub(super) fn adopt_orphans(snapshot: &Snapshot) -> Vec<Action> {
    snapshot
        .pods
        .iter()
        .filter(|pod| ownership::is_adoptable(&pod.metadata))
        .map(|pod| adopt_pod(snapshot, pod))
        .collect()
}

fn adopt_pod(snapshot: &Snapshot, pod: &Pod) -> Action {
    let mut owners = pod.metadata.owner_references.clone().unwrap_or_default();
    owners.push(ownership::controller_reference(&*snapshot.podclique));
    GuardedPatch::of::<Pod>(&pod.metadata)
        .unless_changed()
        .add(&Pointer::to(&["metadata", "ownerReferences"]), owners)
        .because(Purpose::AdoptPod)
}
