//! What the rules of the CRDs refuse of training jobs: one runs once, in the size it was written in.

use serde_json::Value;

use super::{Answer, view};

/// What never changes.
const FIXED: [&str; 3] = ["/workloadType", "/replicas", "/template/cliques"];

pub(super) fn check(before: &Value, next: &Value) -> Result<(), Answer> {
    if !view::is_job(before) {
        return Ok(());
    }
    let fixed = |object: &Value, path: &str| view::at(object, &format!("/spec{path}")).cloned();
    let mut changed = FIXED
        .into_iter()
        .filter(|path| fixed(before, path) != fixed(next, path));
    if let Some(path) = changed.next() {
        let message = format!("spec{path}: Invalid value: immutable for Training");
        return Err(Answer::invalid(&message));
    }
    if sizes(before) != sizes(next) {
        let message = "spec.template.podCliqueScalingGroups: replicas is immutable for Training";
        return Err(Answer::invalid(message));
    }
    Ok(())
}

fn sizes(set: &Value) -> Vec<Option<i64>> {
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    groups.map(|g| g["replicas"].as_i64()).collect()
}
