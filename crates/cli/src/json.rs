//! Reads objects of any kind with missing fields.

use serde_json::Value;

static NOTHING: Value = Value::Null;

/// The value at the pointer, or null.
pub fn at<'a>(object: &'a Value, pointer: &str) -> &'a Value {
    object.pointer(pointer).unwrap_or(&NOTHING)
}

/// The text at the pointer, or an empty one.
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    at(object, pointer).as_str().unwrap_or_default()
}

/// A text in the metadata of an object.
pub fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    member(at(object, "/metadata"), field)
}

/// The value of a label.
pub fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    member(at(object, "/metadata/labels"), key)
}

/// The value of an annotation.
pub fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    member(at(object, "/metadata/annotations"), key)
}

/// The items of a list.
pub fn items<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    at(object, pointer).as_array().into_iter().flatten()
}

/// The items of a list, to be changed.
pub fn items_mut<'a>(object: &'a mut Value, pointer: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.pointer_mut(pointer).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// A text member of an object; empty without one.
pub fn member<'a>(object: &'a Value, name: &str) -> &'a str {
    let found = object.get(name).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// Sets a member of an existing object; does nothing without the object.
pub fn set(object: &mut Value, pointer: &str, name: &str, value: Value) {
    if let Some(Value::Object(fields)) = object.pointer_mut(pointer) {
        fields.insert(name.to_owned(), value);
    }
}

/// Removes a member.
pub fn remove(object: &mut Value, pointer: &str, name: &str) {
    if let Some(Value::Object(fields)) = object.pointer_mut(pointer) {
        fields.remove(name);
    }
}

/// Whether the object is being deleted.
pub fn is_terminating(object: &Value) -> bool {
    !meta(object, "deletionTimestamp").is_empty()
}
