//! Fields that are null.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::schema;

/// The object without fields that are null, also where the fields are labels. Null in a list stays.
pub(super) fn drop_nulls(schema: &JSONSchemaProps, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let of = |name: &str| schema::of_field(schema, name);
            Value::Object(
                fields
                    .iter()
                    .filter(|(name, value)| !value.is_null() || of(name).is_none())
                    .map(|(name, value)| (name.clone(), below(of(name), value)))
                    .collect(),
            )
        }
        Value::Array(items) => {
            let of_item = schema::of_items(schema);
            items.iter().map(|item| below(of_item, item)).collect()
        }
        _ => value.clone(),
    }
}

fn below(schema: Option<&JSONSchemaProps>, value: &Value) -> Value {
    match schema {
        Some(schema) => drop_nulls(schema, value),
        None => value.clone(),
    }
}
