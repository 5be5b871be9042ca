//! A pod that starts after others is told to start as soon as these have their minimum Ready or
//! done (docs/semantics.md §8.6).

use api::{labels, start_order};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target};
use serde_json::{Value, json};

use crate::observe::Snapshot;

/// Pods that may start and were not told to when they were created.
pub(super) fn plan_starts(snapshot: &Snapshot) -> Vec<Action> {
    let waiting = snapshot
        .own_pods()
        .filter(|p| p.awaits_start() && !p.is_terminating() && !p.is_finished());
    let free = waiting.filter(|pod| {
        let mut parents = snapshot.parents.iter();
        parents.all(|parent| parent.is_up || !pod.starts_after(&parent.name))
    });
    free.map(|pod| start_pod(pod)).collect()
}

fn start_pod(pod: &Pod) -> Action {
    let mut operations = vec![json!({"op": "test", "path": "/metadata/uid", "value": pod.uid()})];
    if pod.metadata.annotations.is_none() {
        operations.extend(first_annotation(pod));
    }
    let path = ownership::annotation_pointer(labels::START);
    operations.push(json!({"op": "add", "path": path, "value": start_order::NOW}));
    Action::Patch {
        target: Target::of::<Pod>(&pod.metadata),
        operations: Value::Array(operations),
        purpose: Purpose::StartPod,
    }
}

/// Somebody removed them all. Those that somebody adds meanwhile are not to be lost.
fn first_annotation(pod: &Pod) -> [Value; 2] {
    let version = &pod.metadata.resource_version;
    [
        json!({"op": "test", "path": "/metadata/resourceVersion", "value": version}),
        json!({"op": "add", "path": "/metadata/annotations", "value": {}}),
    ]
}
