//! `charts/grove/values.schema.json`: the handwritten schema, with the comment of each value in
//! `values.yaml` as its description. Editors and Artifact Hub show it.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::chart_readme::{self, Entry};
use crate::output::{self, Output};

const SCHEMA: &str = "charts/grove/values.schema.json";
const DEFINITIONS: &str = "#/definitions/";

/// The schema with descriptions.
pub fn schema() -> Result<Output> {
    let read =
        |path: &str| fs::read_to_string(output::root().join(path)).with_context(|| path.to_owned());
    let mut schema: Value = serde_json::from_str(&read(SCHEMA)?).context(SCHEMA)?;
    for value in chart_readme::entries(&read(chart_readme::VALUES)?)? {
        describe(&mut schema, &value);
    }
    Ok(Output {
        path: SCHEMA.into(),
        text: format!("{schema:#}\n"),
    })
}

/// Writes the comment to where the value is defined, unless other values are defined there, too.
pub fn describe(schema: &mut Value, value: &Entry) {
    let Some(pointer) = find(schema, &value.path) else {
        return;
    };
    let Some(fields) = schema.pointer_mut(&pointer).and_then(Value::as_object_mut) else {
        return;
    };
    let comment: Vec<&str> = value.comment.iter().map(|line| line.trim()).collect();
    if comment.is_empty() {
        fields.remove("description");
    } else {
        fields.insert("description".into(), comment.join(" ").into());
    }
}

/// The JSON pointer to the value in the schema.
fn find(schema: &Value, path: &[String]) -> Option<String> {
    let mut pointer = String::new();
    for (depth, key) in path.iter().enumerate() {
        if depth > 0 {
            pointer = resolve(schema, pointer)?;
        }
        pointer = format!("{pointer}/properties/{key}");
        schema.pointer(&pointer)?;
    }
    Some(pointer)
}

/// Where the schema goes on: at a definition that only this value refers to.
fn resolve(schema: &Value, pointer: String) -> Option<String> {
    let reference = schema.pointer(&pointer)?.get("$ref");
    let Some(name) = reference.and_then(Value::as_str) else {
        return Some(pointer);
    };
    let uses = schema.to_string().matches(&format!("\"{name}\"")).count();
    let name = name.strip_prefix(DEFINITIONS)?;
    (uses == 1).then(|| format!("/definitions/{name}"))
}
