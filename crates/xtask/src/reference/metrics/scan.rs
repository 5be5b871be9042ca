//! Reads source for `registry.register("name", "Help", metric)`: a metric that is served is found,
//! whether or not anything was counted yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use syn::File;

use super::calls::MetricFacts;
use crate::output;

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The registered name, without prefix and suffix.
    pub name: String,
    /// `counter`, `gauge`, `histogram`, `info`.
    pub sort: &'static str,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// Its meaning.
    pub help: String,
}

/// All metrics that are registered below these folders of the workspace.
pub fn scan(folders: &[&str]) -> anyhow::Result<Vec<Metric>> {
    let mut files = Vec::new();
    for folder in folders {
        read(&output::root().join(folder), &mut files)?;
    }
    let facts = look(&files);
    let labels = facts
        .values()
        .flat_map(|file| file.fields.clone())
        .collect();
    let mut all = Vec::new();
    for (path, file) in &facts {
        for call in &file.calls {
            let metric = call.describe(file, &labels);
            all.push(metric.with_context(|| path.display().to_string())?);
        }
    }
    ensure!(!all.is_empty(), "no metric in {folders:?}");
    Ok(all)
}

/// Facts of each file; `a/b.rs` also belongs to the module of `a.rs`.
fn look(files: &[(PathBuf, File)]) -> BTreeMap<PathBuf, MetricFacts> {
    let of_file = |(path, file): &(PathBuf, File)| (path.clone(), MetricFacts::of(file));
    let alone: BTreeMap<PathBuf, MetricFacts> = files.iter().map(of_file).collect();
    let mut all = alone.clone();
    for (path, facts) in &mut all {
        let outer = path.parent().map(|folder| folder.with_extension("rs"));
        if let Some(outer) = outer.and_then(|path| alone.get(&path)) {
            facts.look_in(outer);
        }
    }
    all
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
