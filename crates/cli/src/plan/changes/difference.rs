//! Differences between two versions of an object.

use std::collections::BTreeSet;

use api::labels::LAST_APPLIED;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json;

/// The parts of an object that users change.
const PARTS: [&str; 3] = ["/metadata/labels", "/metadata/annotations", "/spec"];

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Its path; items of lists by name if they have one.
    pub path: String,
    /// The value before; null without one.
    pub before: Value,
    /// The value after; null without one.
    pub after: Value,
}

/// The fields of users that differ.
pub fn find_differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    for part in PARTS {
        let path = part.trim_start_matches('/').replace('/', ".");
        let fields = |object: &'_ Value| object.pointer(part).and_then(Value::as_object).cloned();
        let (before, after) = (fields(before), fields(after));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        compare_fields(&path, &before, &after, &mut found);
    }
    found
}

fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            compare_fields(path, before, after, found);
        }
        (Some(Value::Array(before)), Some(Value::Array(after)))
            if are_named(before) && are_named(after) =>
        {
            compare_items(path, before, after, found);
        }
        _ => found.push(Difference {
            path: path.to_owned(),
            before: before.cloned().unwrap_or_default(),
            after: after.cloned().unwrap_or_default(),
        }),
    }
}

fn compare_fields(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names.into_iter().filter(|name| *name != LAST_APPLIED) {
        // Keys of labels and annotations contain dots.
        let path = if name.contains(['.', '/']) {
            format!("{path}[{name}]")
        } else {
            format!("{path}.{name}")
        };
        compare(&path, before.get(name), after.get(name), found);
    }
}

fn compare_items(path: &str, before: &[Value], after: &[Value], found: &mut Vec<Difference>) {
    let named = |items: &'_ [Value], name: &str| items.iter().position(|i| name_of(i) == name);
    for item in before {
        let name = name_of(item);
        let next = named(after, name).and_then(|place| after.get(place));
        compare(&format!("{path}[{name}]"), Some(item), next, found);
    }
    for item in after {
        let name = name_of(item);
        if named(before, name).is_none() {
            compare(&format!("{path}[{name}]"), None, Some(item), found);
        }
    }
    let order = |items: &[Value]| items.iter().map(|i| name_of(i).into()).collect();
    let (before, after): (Vec<Value>, Vec<Value>) = (order(before), order(after));
    let are_same = before.len() == after.len() && before.iter().all(|name| after.contains(name));
    if are_same && before != after {
        found.push(Difference {
            path: path.to_owned(),
            before: Value::Array(before),
            after: Value::Array(after),
        });
    }
}

/// Whether all items have unique names.
fn are_named(items: &[Value]) -> bool {
    let names: BTreeSet<&str> = items.iter().map(name_of).collect();
    names.len() == items.len() && !names.contains("")
}

fn name_of(item: &Value) -> &str {
    json::member(item, "name")
}
