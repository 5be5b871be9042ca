//! The rules of kstatus (sigs.k8s.io/cli-utils) for unknown kinds, in their order.

use serde_json::Value;

use super::Verdict::{self, Current, Failed, InProgress};

pub fn judge(object: &Value) -> Verdict {
    let (metadata, status) = (&object["metadata"], &object["status"]);
    if !metadata["deletionTimestamp"].is_null() {
        return InProgress;
    }
    let observed = &status["observedGeneration"];
    if !observed.is_null() && *observed != metadata["generation"] {
        return InProgress;
    }
    if find(status, "Reconciling") == Some("True") {
        return InProgress;
    }
    if find(status, "Stalled") == Some("True") {
        return Failed;
    }
    match find(status, "Ready") {
        None | Some("True") => Current,
        Some(_) => InProgress,
    }
}

fn find<'a>(status: &'a Value, type_: &str) -> Option<&'a str> {
    let mut all = status["conditions"].as_array()?.iter();
    all.find(|c| c["type"] == type_)?["status"].as_str()
}
