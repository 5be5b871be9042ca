//! Adoption: pods without a controller whose labels name this PodClique get its owner reference.
//! Their PodClique was deleted with `--cascade=orphan` and recreated, or the reference was removed.
//! Without adoption they would hold their GPUs for ever beside their replacements.

use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target};
use serde_json::json;

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
    Action::Patch {
        target: Target::of::<Pod>(&pod.metadata),
        operations: json!([
            {"op": "test", "path": "/metadata/uid", "value": pod.uid()},
            {
                "op": "test",
                "path": "/metadata/resourceVersion",
                "value": pod.metadata.resource_version,
            },
            {"op": "add", "path": "/metadata/ownerReferences", "value": owners},
        ]),
        purpose: Purpose::AdoptPod,
    }
}
