//! Annotations of `Chart.yaml` for Artifact Hub.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::changelog;
use crate::yaml;

/// The images of the chart, by repository.
const IMAGES: [&str; 2] = ["grove-operator", "grove-initc"];

/// The annotations of this version, for the checkout at `root`, with images of that registry.
pub fn annotations(root: &Path, registry: &str, version: &str) -> Result<Map<String, Value>> {
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let changes = changelog::changes(&read("CHANGELOG.md")?, version)?;
    let images = IMAGES.map(|name| {
        let image = format!("{registry}/{name}:{version}");
        json!({"name": name, "image": image})
    });
    let is_prerelease = version.contains('-') || version.starts_with("0.");
    let texts = [
        ("license", json!("Apache-2.0")),
        ("operator", json!("true")),
        ("operatorCapabilities", json!("Deep Insights")),
        ("prerelease", json!(is_prerelease.to_string())),
        ("images", lines(&json!(images))?),
        ("crds", lines(&definitions()?)?),
        ("crdsExamples", lines(&json!([example(root)?]))?),
        ("changes", lines(&changes)?),
    ];
    let named = texts.map(|(key, value)| (format!("artifacthub.io/{key}"), value));
    Ok(named.into_iter().collect())
}

/// A value that is YAML itself, as text.
fn lines(value: &Value) -> Result<Value> {
    Ok(yaml::text(value)?.into())
}

fn definitions() -> Result<Value> {
    let described = api::crds::all().iter().map(|crd| {
        let names = &crd.spec.names;
        let version = crd.spec.versions.first().context("a version")?;
        let schema = version.schema.as_ref();
        let schema = schema.and_then(|s| s.open_api_v3_schema.as_ref());
        let description = schema.and_then(|s| s.description.clone());
        Ok(json!({
            "kind": names.kind, "version": version.name, "displayName": names.kind,
            "name": crd.metadata.name, "description": description,
        }))
    });
    described.collect::<Result<Vec<Value>>>().map(Value::from)
}

/// The shortest of the examples.
fn example(root: &Path) -> Result<Value> {
    let files = fs::read_dir(root.join("examples")).context("examples")?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "yaml"));
    let texts = files.map(fs::read_to_string);
    let texts = texts.collect::<std::io::Result<Vec<String>>>()?;
    let mut single: Vec<&String> = texts.iter().filter(|t| !t.contains("\n---")).collect();
    single.sort_by_key(|text| (text.len(), (*text).clone()));
    let shortest = single.first().context("an example of one object")?;
    Ok(serde_saphyr::from_str(shortest)?)
}
