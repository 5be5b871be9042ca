//! The manifests of this checkout.

use std::fs;
use std::path::{Path, PathBuf};

use node_tests::programs::checkout;
use serde_json::{Value, json};

/// A PodCliqueSet, and the other objects of the same file or block.
pub struct Found {
    /// Relative to the root of the checkout.
    pub file: String,
    pub set: String,
    pub objects: Vec<Value>,
}

/// All sets, in files that people copy from.
pub fn all_found() -> Vec<Found> {
    let files = ["examples", "examples/schedulers", "docs", "."]
        .iter()
        .flat_map(|folder| files_of(folder));
    files.flat_map(|file| found_in(&file)).collect()
}

fn files_of(folder: &str) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| {
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        if folder.starts_with("examples") {
            extension == "yaml"
        } else {
            extension == "md"
        }
    };
    let entries = fs::read_dir(checkout().join(folder)).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter(is_source)
        .collect()
}

fn found_in(path: &Path) -> Vec<Found> {
    let text = fs::read_to_string(path).unwrap();
    let is_yaml = path
        .extension()
        .is_some_and(|extension| extension == "yaml");
    let blocks = if is_yaml {
        vec![text]
    } else {
        blocks_of(&text)
    };
    let root = checkout();
    let file = path.canonicalize().unwrap();
    let file = file
        .strip_prefix(&root)
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let is_of_set = |block: &String| block.lines().any(|line| line == "kind: PodCliqueSet");
    let of = |block: String| {
        let objects = objects_of(&block);
        let set = objects
            .iter()
            .find(|object| object["kind"] == "PodCliqueSet")
            .unwrap();
        Found {
            file: file.clone(),
            set: set["metadata"]["name"].as_str().unwrap().to_owned(),
            objects,
        }
    };
    blocks.into_iter().filter(is_of_set).map(of).collect()
}

/// The blocks of YAML in a document.
fn blocks_of(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("```yaml\n") {
        let (block, after) = after.split_once("\n```").unwrap();
        blocks.push(format!("{block}\n"));
        rest = after;
    }
    blocks
}

/// Documents write `{...}` for an omitted part.
fn objects_of(block: &str) -> Vec<Value> {
    let whole = block.replace(
        "podSpec: {...}",
        "podSpec: {containers: [{name: main, image: any}]}",
    );
    let objects: Vec<Value> = serde_saphyr::from_multiple(&whole).unwrap();
    objects
        .into_iter()
        .filter(|object| *object != json!(null))
        .collect()
}
