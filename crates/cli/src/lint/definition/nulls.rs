//! Fields that are null.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

/// The object without fields that are null. Null in a list, or as the value of a label, stays.
pub(super) fn drop_nulls(schema: &JSONSchemaProps, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = |name: &str| schema.properties.as_ref()?.get(name);
            let kept = fields
                .iter()
                .filter(|(name, value)| !value.is_null() || known(name).is_none());
            let kept = kept.map(|(name, value)| {
                let of_field = known(name).or_else(|| values_of(schema));
                (name.clone(), below(of_field, value))
            });
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
