//! Fields that are null.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

/// The object without fields that are null, also where the fields are labels. Null in a list stays.
pub(super) fn drop_nulls(schema: &JSONSchemaProps, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let of = |name: &str| {
                let known = schema.properties.as_ref().and_then(|known| known.get(name));
                known.or_else(|| values_of(schema))
            };
            let kept = fields
                .iter()
                .filter(|(name, value)| !value.is_null() || of(name).is_none());
            let kept = kept.map(|(name, value)| (name.clone(), below(of(name), value)));
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
