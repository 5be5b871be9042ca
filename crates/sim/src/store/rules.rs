//! The changes that the rules of the CRDs refuse.

use serde_json::Value;
use testkit::definition_rules::broken_rules;

use super::{Answer, Id};

/// Like the API server, it accepts errors that existed before the change.
pub(super) fn check(id: &Id, before: &Value, next: &Value) -> Result<(), Answer> {
    if before.get("spec") == next.get("spec") {
        return Ok(());
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
