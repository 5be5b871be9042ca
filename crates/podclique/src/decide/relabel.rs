//! Pods of an adopted PodClique carry a template hash that another implementation wrote. Once
//! their PodClique has ours, they get it too, without a restart.

use api::labels;
use domain::plan::{Action, Kind, Target};
use domain::{Pod, ownership};
use serde_json::json;

use crate::observe::Snapshot;

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
    let path = format!(
        "/metadata/labels/{}",
        labels::POD_TEMPLATE_HASH.replace('/', "~1")
    );
    Action::Patch {
        target: Target::of(Kind::Pod, &pod.metadata),
        operations: json!([
            {"op": "test", "path": "/metadata/uid", "value": pod.uid()},
            {"op": "test", "path": path, "value": foreign},
            {"op": "replace", "path": path, "value": ours},
        ]),
        why: "adopted: gets our template hash",
    }
}
