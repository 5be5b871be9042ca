//! The API server's treatment of an object by its definition: it drops unknown fields and adds
//! defaults.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::schema;

/// Completes an object of one of our kinds.
pub(crate) fn complete(kind: &str, object: &mut Value) {
    for part in ["spec", "status"] {
        if let (Some(schema), Some(found)) = (find_schema(kind, part), object.get_mut(part)) {
            complete_value(schema, found);
        }
    }
}

/// Paths of dropped fields in the spec of an object of that kind.
pub(crate) fn find_unknown(kind: &str, object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(schema), Some(spec)) = (find_schema(kind, "spec"), object.get("spec")) {
        search(schema, spec, "spec", &mut found);
    }
    found
}

fn find_schema(kind: &str, part: &str) -> Option<&'static JSONSchemaProps> {
    schema::of_kind(kind)?.properties.as_ref()?.get(part)
}

fn complete_value(schema: &JSONSchemaProps, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // A null is dropped: no field of ours may be null.
            fields.retain(|name, value| !value.is_null() && !is_unknown(schema, name));
            for (name, schema) in schema.properties.iter().flatten() {
                if let (None, Some(default)) = (fields.get(name), &schema.default) {
                    fields.insert(name.clone(), default.0.clone());
                }
            }
            for (name, value) in fields.iter_mut() {
                if let Some(schema) = schema::of_field(schema, name) {
                    complete_value(schema, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema::of_items(schema) {
                for item in items {
                    complete_value(schema, item);
                }
            }
        }
        _ => {}
    }
}

fn search(schema: &JSONSchemaProps, value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = format!("{at}.{name}");
                if is_unknown(schema, name) {
                    found.push(at);
                } else if let Some(schema) = schema::of_field(schema, name) {
                    search(schema, value, &at, found);
                }
            }
        }
        Value::Array(items) => {
            let schema = schema::of_items(schema);
            for (number, item) in items.iter().enumerate() {
                if let Some(schema) = schema {
                    search(schema, item, &format!("{at}[{number}]"), found);
                }
            }
        }
        _ => {}
    }
}

/// Whether objects of the schema never have a field of that name.
fn is_unknown(schema: &JSONSchemaProps, name: &str) -> bool {
    let takes_any = schema.x_kubernetes_preserve_unknown_fields == Some(true)
        || schema.additional_properties.is_some();
    let known = schema.properties.as_ref().filter(|_| !takes_any);
    known.is_some_and(|known| !known.contains_key(name))
}
