//! Kinds that the API server completes: fields that we do not set are not ours, so only the
//! differences in our fields are sent.

use std::sync::Arc;

use domain::object::ownership;
use domain::plan::{Action, Target, WritableKind};
use domain::workload::clique;
use serde_json::{Value, json};

/// Creates the object if it is missing, and otherwise patches the differences. Foreign fields are
/// left alone, including owners that others added.
pub(super) fn keep_object<K: WritableKind>(
    existing: Option<&Arc<K>>,
    mut desired: K,
) -> Option<Action> {
    let Some(found) = existing else {
        return Some(Action::create(desired));
    };
    if ownership::is_terminating(found.meta()) {
        return None;
    }
    let mut meta = found.meta().clone();
    clique::add_owner(&mut meta, desired.meta());
    desired.meta_mut().owner_references = meta.owner_references;
    let (is, should) = (json!(**found), json!(desired));
    let mut patch = difference(&is, &should)?;
    if let Some(Value::Object(meta)) = patch.get_mut("metadata")
        && meta.contains_key("ownerReferences")
    {
        // A merge patch replaces the whole list: it names the version that the list comes from.
        let version = json!(found.meta().resource_version);
        meta.insert("resourceVersion".to_owned(), version);
    }
    Some(Action::Merge {
        target: Target::of::<K>(found.meta()),
        patch,
    })
}

/// The merge patch that makes `is` agree with `should` in everything that `should` sets.
fn difference(is: &Value, should: &Value) -> Option<Value> {
    let Value::Object(fields) = should else {
        return (is != should && !(is.is_null() && is_void(should))).then(|| should.clone());
    };
    let changed: serde_json::Map<String, Value> = fields
        .iter()
        .filter_map(|(key, value)| {
            let patch = difference(is.get(key).unwrap_or(&Value::Null), value)?;
            Some((key.clone(), patch))
        })
        .collect();
    (!changed.is_empty()).then_some(Value::Object(changed))
}

/// Values that the API server does not store: it leaves out false, empty and zero.
fn is_void(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        other => other.is_null(),
    }
}
