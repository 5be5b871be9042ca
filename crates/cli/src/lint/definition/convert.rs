//! Values without parts, as they were probably meant.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;
use strsim::osa_distance;

/// A number that its type cannot hold.
pub(super) fn is_out_of_range(schema: &JSONSchemaProps, value: &Value) -> bool {
    let is_small = schema.format.as_deref() == Some("int32");
    let fits = |number: i64| i32::try_from(number).is_ok();
    is_small && value.is_number() && !value.as_i64().is_some_and(fits)
}

/// A text as the number or switch that was meant, and a number or switch as the text.
pub(super) fn convert_scalar(schema: &JSONSchemaProps, value: &Value) -> Option<Value> {
    // Texts with a format are times.
    let is_text = schema.type_.as_deref() == Some("string") && schema.format.is_none();
    let is_either = schema.x_kubernetes_int_or_string == Some(true);
    match value {
        Value::Bool(_) if is_text => Some(value.to_string().into()),
        Value::Number(_) if is_text || is_either => Some(value.to_string().into()),
        Value::String(text) => parse_scalar(schema, text),
        _ => None,
    }
}

fn parse_scalar(schema: &JSONSchemaProps, text: &str) -> Option<Value> {
    match schema.type_.as_deref()? {
        "integer" => text.parse::<i32>().ok().map(Value::from),
        "number" => text.parse::<f64>().ok().map(Value::from),
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    }
}

/// The text, or the allowed one that is nearest to it: `Training` for `training`, and
/// `CliqueStartupTypeInOrder` for `InOrder`.
pub(super) fn nearest_word(schema: &JSONSchemaProps, word: &str) -> Value {
    let allowed = schema
        .enum_
        .iter()
        .flatten()
        .filter_map(|one| one.0.as_str());
    let lower = word.to_lowercase();
    let distance = |allowed: &str| {
        let is_end = allowed.to_lowercase().ends_with(&lower);
        if is_end {
            0
        } else {
            osa_distance(allowed, word)
        }
    };
    let nearest = allowed.min_by_key(|allowed| (*allowed != word, distance(allowed)));
    nearest.unwrap_or(word).into()
}
