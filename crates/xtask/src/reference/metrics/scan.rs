//! Reads source for `registry.register("name", "Help", metric)`: a metric that is served is found,
//! whether or not anything was counted yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use syn::File;

use super::calls::Seen;
use crate::output;

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// As it is registered, without prefix and suffix.
    pub name: String,
    /// `counter`, `gauge`, `histogram`, `info`.
    pub sort: &'static str,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// What it means.
    pub help: String,
}

/// All metrics that are registered below these folders of the workspace.
pub fn scan(folders: &[&str]) -> anyhow::Result<Vec<Metric>> {
    let mut files = Vec::new();
    for folder in folders {
        read(&output::root().join(folder), &mut files)?;
    }
    let mut labels = BTreeMap::new();
    let seen: Vec<Seen> = files.iter().map(|(_, file)| Seen::of(file)).collect();
    for file in &seen {
        labels.extend(file.fields.clone());
    }
    let mut all = Vec::new();
    for ((path, _), seen) in files.iter().zip(&seen) {
        for call in &seen.calls {
            let metric = call.describe(seen, &labels);
            all.push(metric.with_context(|| path.display().to_string())?);
        }
    }
    ensure!(!all.is_empty(), "no metric in {folders:?}");
    Ok(all)
}

fn read(folder: &Path, files: &mut Vec<(PathBuf, File)>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
            files.push((path, file));
        }
    }
    Ok(())
}
