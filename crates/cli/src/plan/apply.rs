//! The merge of a stored object and a file by `kubectl apply`.

use api::labels::LAST_APPLIED;
use serde_json::{Map, Value};

use crate::json;

/// Metadata that a file may set.
const SETTABLE: [&str; 2] = ["labels", "annotations"];

/// The stored object after the apply: fields that were applied last and are not in the file any
/// more are removed, fields of others stay. Lists are replaced as a whole.
pub fn apply_manifest(stored: &Value, file: &Value) -> Value {
    let last = json::annotation(stored, LAST_APPLIED);
    let last: Option<Value> = serde_json::from_str(last).ok();
    let mut next = stored.clone();
    merge_part(&mut next, last.as_ref(), file, "/spec");
    for part in SETTABLE {
        merge_part(&mut next, last.as_ref(), file, &format!("/metadata/{part}"));
    }
    next
}

fn merge_part(next: &mut Value, last: Option<&Value>, file: &Value, at: &str) {
    let nothing = Value::Object(Map::new());
    let file = file.pointer(at).filter(|part| !part.is_null());
    let last = last.and_then(|last| last.pointer(at));
    let merged = merge(last, next.pointer(at), file.unwrap_or(&nothing));
    let (parent, name) = at.rsplit_once('/').unwrap_or_default();
    json::set(next, parent, name, merged);
}

fn merge(last: Option<&Value>, stored: Option<&Value>, file: &Value) -> Value {
    let Value::Object(wanted) = file else {
        return file.clone();
    };
    let mut next: Map<String, Value> = match stored {
        Some(Value::Object(stored)) => stored.clone(),
        _ => Map::new(),
    };
    let applied = last.and_then(Value::as_object);
    let is_dropped = |name: &str| {
        applied.is_some_and(|applied| applied.contains_key(name)) && !wanted.contains_key(name)
    };
    next.retain(|name, _| !is_dropped(name));
    for (name, value) in wanted.iter().filter(|(_, value)| !value.is_null()) {
        let last = applied.and_then(|applied| applied.get(name));
        let merged = merge(last, next.get(name), value);
        next.insert(name.clone(), merged);
    }
    Value::Object(next)
}
