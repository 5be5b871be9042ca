//! The API: every field of our kinds, from the definitions that the API server gets.

mod field;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::page::{fill, wrap};
use crate::json::at;
use crate::output::Output;
use field::{is_embedded, join};

pub(super) fn page() -> anyhow::Result<Output> {
    let mut kinds = Vec::new();
    for crd in ::api::crds::all() {
        kinds.push(describe_kind(crd)?);
    }
    fill(
        "api",
        include_str!("api.md"),
        &[("kinds", kinds.join("\n"))],
    )
}

fn describe_kind(crd: &CustomResourceDefinition) -> anyhow::Result<String> {
    let crd = serde_json::to_value(crd)?;
    let (spec, names) = (at(&crd, "/spec"), at(&crd, "/spec/names"));
    let version = at(spec, "/versions/0");
    let schema = at(version, "/schema/openAPIV3Schema");
    let kind = text(&names["kind"]);
    let facts = [
        format!("`{}/{}`", text(&spec["group"]), text(&version["name"])),
        text(&spec["scope"]).to_lowercase(),
        format!("short name `{}`", text(at(names, "/shortNames/0"))),
    ];
    let mut page = format!(
        "## {kind}\n\n{}\n\n",
        wrap(text(&schema["description"]), "")
    );
    page.extend([
        facts.join(", "),
        ".".to_owned(),
        extras(version),
        "\n".to_owned(),
    ]);
    for part in ["spec", "status"] {
        let of_part = at(schema, &format!("/properties/{part}"));
        describe_object(kind, part, of_part, &mut page);
    }
    Ok(page)
}

/// Further features of the kind.
fn extras(version: &Value) -> String {
    let mut told = String::new();
    let scale = at(version, "/subresources/scale");
    if scale.is_object() {
        let path = text(&scale["specReplicasPath"]);
        told.extend([" `/scale` sets `", path, "`."]);
    }
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    let fields: Vec<String> = fields
        .map(|field| format!("`{}`", text(&field["jsonPath"]).trim_start_matches('.')))
        .collect();
    if !fields.is_empty() {
        told.extend([" Field selectors: ", &fields.join(", "), "."]);
    }
    told
}

/// The object at that path, and its nested objects.
fn describe_object(kind: &str, path: &str, schema: &Value, page: &mut String) {
    let description = wrap(text(&schema["description"]), "");
    page.extend(["\n### ", kind, " ", path, "\n\n", &description, "\n\n"]);
    for (name, field) in fields(schema) {
        page.push_str(&field::describe(kind, &join(path, name), schema, field));
    }
    page.push_str(&refusals(schema));
    for (name, field) in fields(schema) {
        if is_embedded(name) {
            continue;
        }
        for (suffix, inner) in [("", field), ("[]", &field["items"])] {
            if inner["properties"].is_object() {
                let path = format!("{}{suffix}", join(path, name));
                describe_object(kind, &path, inner, page);
            }
        }
    }
}

fn fields(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// The rules of the API server there, in its words.
fn refusals(schema: &Value) -> String {
    let rules = schema["x-kubernetes-validations"].as_array();
    let lines: Vec<String> = rules
        .into_iter()
        .flatten()
        .map(|rule| format!("- {}\n", wrap(text(&rule["message"]), "  ")))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "\nRefused by the API server, with the words:\n\n{}",
        lines.concat()
    )
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
