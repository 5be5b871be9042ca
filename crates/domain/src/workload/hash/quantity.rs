//! Quantities by value, so that `1000m` and `1` are the same.

use serde_json::Value;

use crate::object::quantity::parse_billionths;

/// Rewrites a quantity as a whole number of billionths. A finer, larger or malformed one stays as
/// it is.
pub(super) fn normalize(value: &mut Value) {
    if let Some(amount) = value.as_str().and_then(parse_billionths) {
        *value = Value::String(amount.to_string());
    }
}
