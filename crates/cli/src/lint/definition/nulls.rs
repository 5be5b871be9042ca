//! Fields that are null.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

/// The object without fields that are null. So is the value of a label; null in a list
/// stays.
pub(super) fn drop_nulls(schema: &JSONSchemaProps, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = |name: &str| schema.properties.as_ref()?.get(name);
            let of_field = |name: &str| known(name).or_else(|| values_of(schema));
            let is_kept = |name: &str, value: &Value| !value.is_null() || of_field(name).is_none();
            let kept = fields.iter().filter(|(name, value)| is_kept(name, value));
            let kept = kept.map(|(name, value)| (name.clone(), below(of_field(name), value)));
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let of_item = items_of(schema);
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

/// The schema of the items of a list.
pub(super) fn items_of(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => Some(items),
        _ => None,
    }
}

/// The schema of the values of a map.
pub(super) fn values_of(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &schema.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => Some(values),
        _ => None,
    }
}
