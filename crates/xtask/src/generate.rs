//! `cargo xtask generate`: the list of generated files, written or compared.

use std::path::Path;
use std::{fs, io};

use anyhow::Context;

use crate::output::Output;
use crate::{chart_readme, crd_files, gitops, reference, values_schema};

/// Every generated file. Add new ones here; `--check` then covers them.
///
/// Only `config/install.yaml` is not among them, as it takes helm: `make generate` writes it, and a
/// test in `tests/e2e` compares it.
pub fn outputs() -> anyhow::Result<Vec<Output>> {
    let mut outputs = crd_files::manifests()?;
    outputs.push(crd_files::kustomization(&outputs));
    outputs.extend(crd_files::chart_templates()?);
    outputs.push(chart_readme::readme()?);
    outputs.push(values_schema::schema()?);
    outputs.extend(gitops::outputs()?);
    outputs.extend(reference::pages()?);
    Ok(outputs)
}

/// Writes the files that differ and says which. True: it always succeeds or returns the error.
pub fn write(root: &Path) -> anyhow::Result<bool> {
    for output in differing(root)? {
        let path = root.join(&output.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        fs::write(&path, output.text).with_context(|| format!("write {}", path.display()))?;
        println!("wrote {}", output.path.display());
    }
    Ok(true)
}

/// True if every file is up to date; else prints the others and the remedy.
pub fn check(root: &Path) -> anyhow::Result<bool> {
    let stale = differing(root)?;
    for output in &stale {
        eprintln!("out of date: {}", output.path.display());
    }
    if !stale.is_empty() {
        eprintln!("run `cargo xtask generate` and commit the result");
    }
    Ok(stale.is_empty())
}

fn differing(root: &Path) -> anyhow::Result<Vec<Output>> {
    let mut differing = outputs()?;
    let mut error = None;
    differing.retain(|output| match on_disk(root, &output.path) {
        Ok(text) => text.as_ref() != Some(&output.text),
        Err(e) => {
            error.get_or_insert(e);
            true
        }
    });
    error.map_or(Ok(differing), Err)
}

fn on_disk(root: &Path, path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(root.join(path)) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).with_context(|| format!("read {}", path.display())),
    }
}
