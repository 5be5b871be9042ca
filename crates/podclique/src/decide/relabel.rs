//! Labels of pods are restored, except those of terminating pods: a stuck pod was removed from the
//! headless Service through its label.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use api::labels;
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use domain::update;
use domain::workload::pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use crate::observe::Snapshot;

/// Labels that never change in the life of a pod. Its hash and its attempts are not among them:
/// they record the origin of the pod. If all pods are of one template, a missing or wrong hash is
/// replaced by that of the PodClique: the pod counts as of this template.
const IMMUTABLE_LABELS: [&str; 11] = [
    labels::NAME,
    labels::MANAGED_BY,
    labels::PART_OF,
    labels::COMPONENT,
    labels::POD_CLIQUE,
    labels::POD_INDEX,
    labels::POD_GANG,
    labels::BASE_POD_GANG,
    labels::PCS_REPLICA_INDEX,
    labels::SCALING_GROUP,
    labels::SCALING_GROUP_REPLICA_INDEX,
];

/// Pods whose labels were edited.
pub(super) fn edited_pods(snapshot: &Snapshot) -> Vec<Action> {
    let Some(first) = snapshot.pods.first().and_then(|pod| pod.index()) else {
        return Vec::new();
    };
    // All pods have the same labels except for the index.
    let mut right = pod::labels_of(&snapshot.podclique, snapshot.set_name(), first);
    let meta = &snapshot.podclique.metadata;
    snapshot
        .pods
        .iter()
        .filter(|p| !p.is_terminating())
        .filter_map(|pod| {
            let index = right.get_mut(labels::POD_INDEX)?;
            index.clear();
            write!(index, "{}", pod.index()?).ok()?;
            correct(pod, &right, meta)
        })
        .collect()
}

fn correct(pod: &Pod, right: &BTreeMap<String, String>, podclique: &ObjectMeta) -> Option<Action> {
    // The usual case: looking up each label takes several times as long.
    if pod.metadata.labels.as_ref() == Some(right) {
        return None;
    }
    let is_wrong =
        |key: &&&str| right.get(**key).map(String::as_str) != ownership::label(&pod.metadata, key);
    let wrong = IMMUTABLE_LABELS.iter().filter(is_wrong);
    let hash = Some(&labels::POD_TEMPLATE_HASH).filter(|key| right.contains_key(**key));
    let lost = hash.filter(|key| {
        let is_lost = ownership::label(&pod.metadata, key).is_none();
        is_lost || (is_wrong(key) && update::is_of_one_template(&pod.metadata, podclique))
    });
    let mut edited = wrong.chain(lost).peekable();
    edited.peek()?;
    let mut patch = GuardedPatch::of::<Pod>(&pod.metadata);
    if pod.metadata.labels.is_none() {
        patch = patch.add(&Pointer::to(&["metadata", "labels"]), json!({}));
    }
    let patch = edited.fold(patch, |patch, key| {
        restore(patch, pod, key, right.get(*key))
    });
    Some(patch.because(Purpose::RestoreLabels))
}

/// Tests the present value, then sets or removes it.
fn restore(patch: GuardedPatch, pod: &Pod, key: &str, right: Option<&String>) -> GuardedPatch {
    let label = Pointer::label(key);
    let patch = match ownership::label(&pod.metadata, key) {
        Some(value) => patch.test(&label, value),
        None => patch,
    };
    match right {
        Some(value) => patch.add(&label, value),
        None => patch.remove(&label),
    }
}

/// Pods of an adopted PodClique carry a template hash that another implementation wrote. Once
/// their PodClique has ours, they get it too, without a restart.
pub(super) fn rebased_pods(snapshot: &Snapshot) -> Vec<Action> {
    let meta = &snapshot.podclique.metadata;
    let Some(foreign) = ownership::annotation(meta, labels::REBASED_FROM) else {
        return Vec::new();
    };
    let Some(ours) = ownership::label(meta, labels::POD_TEMPLATE_HASH) else {
        return Vec::new();
    };
    let has_foreign = |p: &Pod| {
        !p.is_terminating()
            && foreign != ours
            && ownership::label(&p.metadata, labels::POD_TEMPLATE_HASH) == Some(foreign)
    };
    snapshot
        .pods
        .iter()
        .filter(|p| has_foreign(p))
        .map(|p| relabel(p, foreign, ours))
        .collect()
}

fn relabel(pod: &Pod, foreign: &str, ours: &str) -> Action {
    let hash = Pointer::label(labels::POD_TEMPLATE_HASH);
    GuardedPatch::of::<Pod>(&pod.metadata)
        .test(&hash, foreign)
        .replace(&hash, ours)
        .because(Purpose::RebaseHash)
}
