//! The changes that the API server refuses: by the rules of the CRDs, and of the node selector of a
//! pod.

use serde_json::Value;
use testkit::definition_rules::broken_rules;

use super::{Answer, Id, Resource, view};

/// Like the API server, it accepts errors that existed before the change.
pub(super) fn check(id: &Id, before: &Value, next: &Value) -> Result<(), Answer> {
    if before.get("spec") == next.get("spec") {
        return Ok(());
    }
    if id.resource == Resource::Pod {
        return check_selector(before, next);
    }
    let kind = id.resource.kind();
    let broken = broken_rules(&kind, Some(before), next);
    if broken.is_empty() {
        return Ok(());
    }
    let known = broken_rules(&kind, None, before);
    let is_known = |rule: &str| known.iter().any(|k| k.rule == rule);
    match broken.iter().find(|b| !is_known(&b.rule)) {
        Some(new) => Err(Answer::invalid(&format!(
            "{}: Invalid value: {}",
            new.field_path, new.message
        ))),
        None => Ok(()),
    }
}

/// The node selector of a pod with a gate may get more labels; otherwise it is fixed.
fn check_selector(before: &Value, next: &Value) -> Result<(), Answer> {
    let selector = |pod| view::at(pod, "/spec/nodeSelector").and_then(Value::as_object);
    let (was, is) = (selector(before), selector(next));
    if was == is {
        return Ok(());
    }
    if view::gates(before).is_empty() {
        return Err(Answer::invalid(
            "spec: Forbidden: pod updates may not change fields other than \
             `spec.containers[*].image`",
        ));
    }
    let is_kept = |(key, value): (&String, &Value)| is.and_then(|is| is.get(key)) == Some(value);
    if was.into_iter().flatten().all(is_kept) {
        return Ok(());
    }
    Err(Answer::invalid(
        "spec.nodeSelector: Invalid value: only additions to spec.nodeSelector are allowed",
    ))
}
