//! Reading objects that are JSON.

use serde_json::Value;

/// Text at this pointer, empty if there is none.
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Number at this pointer, 0 if there is none.
pub fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// List at this pointer.
pub fn list<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    object
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Name.
pub fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

/// Uid.
pub fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

/// The value of a label, empty if there is none.
pub fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    let labels = object.pointer("/metadata/labels");
    labels
        .and_then(|l| l.get(key))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Whether deletion was asked for.
pub fn is_terminating(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

/// The controlling owner: kind, name, uid.
pub fn owner(object: &Value) -> Option<(&str, &str, &str)> {
    let reference = list(object, "/metadata/ownerReferences")
        .find(|o| o.pointer("/controller") == Some(&Value::Bool(true)))?;
    Some((
        text(reference, "/kind"),
        text(reference, "/name"),
        text(reference, "/uid"),
    ))
}

/// Whether the condition is True.
pub fn has_condition(object: &Value, type_: &str) -> bool {
    list(object, "/status/conditions")
        .any(|c| text(c, "/type") == type_ && text(c, "/status") == "True")
}

/// Whether a pod ended.
pub fn is_finished(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Whether a pod exists, stays and has not ended.
pub fn is_live(pod: &Value) -> bool {
    !is_terminating(pod) && !is_finished(pod)
}

/// Whether a pod is Ready and stays.
pub fn is_ready(pod: &Value) -> bool {
    is_live(pod) && has_condition(pod, "Ready")
}

/// Index of a pod in its PodClique, by hostname.
pub fn index(pod: &Value) -> Option<i64> {
    text(pod, "/spec/hostname").rsplit_once('-')?.1.parse().ok()
}

/// Names of a pod's gates.
pub fn gates(pod: &Value) -> Vec<&str> {
    list(pod, "/spec/schedulingGates")
        .map(|g| text(g, "/name"))
        .collect()
}
