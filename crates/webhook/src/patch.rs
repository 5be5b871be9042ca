//! Defaults as a patch of the request: all fields of the sender stay, known or not.

mod outline;

use serde::Serialize;
use serde_json::{Map, Value};

use outline::read_outline;

pub use outline::outline_of;

/// The JSON patch that makes of the sent object one with its defaults: `before` is the outline of the
/// decoded object, `after` that object with them. `None` if nothing is to be changed.
pub fn plan_patch<T: Serialize>(sent: &str, before: &Value, after: &T) -> Option<Value> {
    let (sent, after) = (read_outline(sent)?, outline_of(after)?);
    let mut wanted = sent.clone();
    overlay(&mut wanted, before, &after);
    let patch = json_patch::diff(&sent, &wanted);
    if patch.0.is_empty() {
        return None;
    }
    serde_json::to_value(patch).ok()
}

/// Copies the differences of `after` into `target`. Defaults only add and replace.
fn overlay(target: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    match (&mut *target, after) {
        (Value::Object(target), Value::Object(after)) => {
            for (key, after) in after {
                let before = before.get(key).unwrap_or(&Value::Null);
                if before == after {
                    continue;
                }
                let empty = || Value::Object(Map::new());
                let value = target.entry(key.clone()).or_insert(Value::Null);
                if after.is_object() && !value.is_object() {
                    *value = empty();
                }
                overlay(value, before, after);
            }
        }
        (Value::Array(target), Value::Array(after)) if target.len() == after.len() => {
            for (i, (target, after)) in target.iter_mut().zip(after).enumerate() {
                overlay(target, before.get(i).unwrap_or(&Value::Null), after);
            }
        }
        (_, after) => *target = after.clone(),
    }
}
