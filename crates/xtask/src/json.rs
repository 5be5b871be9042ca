//! Reads JSON of unknown shape.

use serde_json::Value;

/// The value at that JSON pointer; null if there is none.
pub fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}
