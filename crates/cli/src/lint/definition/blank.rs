//! Values with as little in them as their definition allows.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use crate::schema;

/// A value of that type: the default, or else the first allowed one, or an empty one.
pub(super) fn blank_value(schema: &JSONSchemaProps) -> Value {
    let first = schema.enum_.as_ref().and_then(|allowed| allowed.first());
    if let Some(given) = schema.default.as_ref().or(first) {
        return given.0.clone();
    }
    match schema.type_.as_deref() {
        Some("object") => blank_object(schema, Map::new()),
        Some("array") => Value::Array(Vec::new()),
        Some("string") => Value::from(""),
        Some("boolean") => Value::from(false),
        Some(_) => Value::from(0),
        None if schema.x_kubernetes_int_or_string == Some(true) => Value::from(0),
        None => Value::Null,
    }
}

/// The item of a list that was written as something else. A text is taken for its name: another
/// object may refer to it.
pub(super) fn blank_item(schema: &JSONSchemaProps, written: &Value) -> Value {
    let has_name = schema
        .properties
        .as_ref()
        .is_some_and(|all| all.contains_key("name"));
    match written {
        Value::String(_) if has_name => {
            let fields = [("name".to_owned(), written.clone())];
            blank_object(schema, fields.into_iter().collect())
        }
        _ => blank_value(schema),
    }
}

fn blank_object(schema: &JSONSchemaProps, mut fields: Map<String, Value>) -> Value {
    for name in schema.required.iter().flatten() {
        if let Some(of_field) = schema::of_field(schema, name)
            && !fields.contains_key(name)
        {
            fields.insert(name.clone(), blank_value(of_field));
        }
    }
    Value::Object(fields)
}
