//! The operator releases the start of a pod as soon as its dependencies have their minimum Ready or
//! done, and repeats the release if the kubelet does not pass it on (docs/semantics.md §8.6).

use std::sync::Arc;

use api::{labels, start_order};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use domain::workload::pod::start_order::written;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::observe::Snapshot;

/// The next values of the pod's annotation, each with the seconds after which it is written: a
/// kubelet that missed a change updates the volume at its next sync of the pod, a minute or more
/// later; each change of the pod triggers a sync.
const REPEATS: [(u32, i64); 4] = [(2, 5), (3, 10), (4, 20), (5, 40)];

/// Releases pods that may start and were not released at their creation.
pub(super) fn plan_starts(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    staying(snapshot)
        .filter(|p| p.awaits_start())
        .filter(|pod| {
            let mut dependencies = snapshot.dependencies.iter();
            dependencies.all(|dependency| dependency.is_up || !pod.starts_after(&dependency.name))
        })
        .map(|pod| start_pod(pod, now))
        .collect()
}

/// Repeats the release of pods whose init container still waits.
pub(super) fn plan_repeats(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    staying(snapshot)
        .filter_map(|pod| {
            let mut passed = repeats(pod).filter(|(_, at)| *at <= now);
            Some((pod, passed.next_back()?.0))
        })
        .map(|(pod, count)| tell_again(pod, count))
        .collect()
}

/// When the next release is repeated.
pub(super) fn next_repeat(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    staying(snapshot)
        .flat_map(|pod| repeats(pod))
        .map(|(_, at)| at)
        .filter(|at| *at > now)
        .min()
}

fn staying(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    snapshot
        .own_pods()
        .filter(|p| !p.is_terminating() && !p.is_finished())
}

/// The remaining values of the pod's annotation, each with its time, while the init container runs.
fn repeats(pod: &Pod) -> impl DoubleEndedIterator<Item = (u32, Timestamp)> + use<> {
    let (since, told) = (pod.start_unseen_since(), pod.start_count());
    REPEATS
        .into_iter()
        .filter(move |(count, _)| *count > told)
        .filter_map(move |(count, seconds)| {
            let at = since?.checked_add(SignedDuration::from_secs(seconds));
            Some((count, at.ok()?))
        })
}

fn start_pod(pod: &Pod, now: Timestamp) -> Action {
    let patch = GuardedPatch::of::<Pod>(&pod.metadata);
    let start = Pointer::annotation(labels::START);
    let patch = if pod.metadata.annotations.is_none() {
        add_annotations(patch)
    } else if ownership::annotation(&pod.metadata, labels::START) == Some(start_order::NOT_YET) {
        let at = Pointer::annotation(labels::START_AT);
        patch
            .test(&start, start_order::NOT_YET)
            .add(&at, written(now))
    } else {
        patch
    };
    patch
        .add(&start, start_order::NOW)
        .because(Purpose::StartPod)
}

/// The pod has no annotations, as a user removed them all; the patch creates the map and must not
/// lose annotations that are added concurrently.
fn add_annotations(patch: GuardedPatch) -> GuardedPatch {
    let annotations = Pointer::to(&["metadata", "annotations"]);
    patch.unless_changed().add(&annotations, json!({}))
}

fn tell_again(pod: &Pod, count: u32) -> Action {
    let start = Pointer::annotation(labels::START);
    let told = ownership::annotation(&pod.metadata, labels::START);
    GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&start, told)
        .replace(&start, count.to_string())
        .because(Purpose::RepeatStart)
}
