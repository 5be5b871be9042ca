//! Values of the wrong type.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use super::limits::shown;
use crate::lint::remark::Remark;
use crate::lint::rules::admitted;

/// The problem of the type of a value.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, value: &Value) -> Option<Remark> {
    let wanted = wanted(schema)?;
    if is_of(wanted, value) {
        return None;
    }
    let problem = format!("must be {}", words(wanted));
    let remark = Remark::new(&admitted::DEFINITION, path, problem);
    Some(remark.value(shown(value)).remedy(remedy(wanted, value)))
}

fn wanted(schema: &JSONSchemaProps) -> Option<&str> {
    if schema.x_kubernetes_int_or_string == Some(true) {
        return Some("integer or string");
    }
    schema.type_.as_deref()
}

fn is_of(wanted: &str, value: &Value) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => is_whole(value),
        "number" => value.is_number(),
        "integer or string" => value.is_string() || is_whole(value),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn words(wanted: &str) -> &'static str {
    match wanted {
        "string" => "a string",
        "integer" => "a whole number",
        "number" => "a number",
        "integer or string" => "a whole number or a string",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "an object with fields",
    }
}

fn remedy(wanted: &str, value: &Value) -> &'static str {
    match (wanted, value) {
        ("string" | "integer or string", Value::Bool(_) | Value::Number(_)) => "put it in quotes",
        ("integer" | "number" | "boolean", Value::String(text)) if is_quoted(wanted, text) => {
            "remove the quotes"
        }
        ("array", Value::Object(_)) => "put `- ` before its first field",
        ("array", _) => "write it as a list",
        ("object", Value::Array(_)) => "remove the `- `",
        (_, Value::Null) => "fill it in, or remove it",
        _ => "correct it",
    }
}

fn is_quoted(wanted: &str, text: &str) -> bool {
    match wanted {
        "integer" => text.parse::<i64>().is_ok(),
        "number" => text.parse::<f64>().is_ok(),
        _ => ["true", "false"].contains(&text),
    }
}
