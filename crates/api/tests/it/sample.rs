//! An object with every field of a schema, made from the schema.

use serde_json::{Map, Value, json};

/// A value with every field of the schema. No value equals the field's default, so that a lost
/// field cannot return as a default.
pub fn of(name: &str, schema: &Value) -> Value {
    if schema["x-kubernetes-int-or-string"] == true {
        return json!("1");
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == true {
        return json!({"any": {"thing": [1, "two"]}});
    }
    match schema["type"].as_str().unwrap() {
        "object" => object(name, schema),
        "array" => json!([of(name, &schema["items"])]),
        "boolean" => json!(schema["default"] != true),
        "integer" => json!(7),
        "number" => json!(0.5),
        "string" => json!(text(name, schema)),
        other => panic!("{name}: unexpected type {other}"),
    }
}

fn object(name: &str, schema: &Value) -> Value {
    if let Some(properties) = schema["properties"].as_object() {
        let fields = properties.iter().map(|(k, v)| (k.clone(), of(k, v)));
        return Value::Object(fields.collect::<Map<_, _>>());
    }
    match &schema["additionalProperties"] {
        Value::Object(_) => json!({"example.com/key": of(name, &schema["additionalProperties"])}),
        _ => json!({}),
    }
}

fn text(name: &str, schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.last().unwrap().as_str().unwrap().to_owned();
    }
    let text = match (schema["format"].as_str(), name) {
        (Some("date-time"), _) => "2026-01-02T03:04:05Z",
        (Some("byte"), _) => "Ynl0ZXM=",
        (
            _,
            "terminationDelay" | "maxRuntime" | "ttlAfterFinished" | "total" | "progressDeadline",
        ) => "1h30m",
        (_, "reason") => "Because",
        // The API server accepts any text, our type only Grove's phases.
        (_, "phase") => "Running",
        _ => "some-name",
    };
    text.to_owned()
}
