//! `cargo xtask chart`: a copy of the chart for a release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::annotations;
use crate::{output, yaml};

/// The version of the workspace, which is that of all that is released.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
const NO_REGISTRY: &str = "\n  registry: \"\"\n";

/// Arguments of `chart`.
#[derive(Debug, Args)]
pub struct ChartArguments {
    /// Where the images are, as registry.example.com/team
    #[arg(long)]
    pub registry: String,

    /// Folder that gets the chart, as `grove`
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Heading of CHANGELOG.md with the changes to list
    #[arg(long, default_value = VERSION)]
    pub changes_of: String,
}

/// Writes the copy. True: it succeeds or returns the error.
pub fn run(arguments: &ChartArguments) -> Result<bool> {
    let (root, out) = (output::root(), arguments.out.join("grove"));
    copy_folder(&root.join("charts/grove"), &out)?;
    fs::copy(root.join("LICENSE"), out.join("LICENSE"))?;
    edit(&out.join("values.yaml"), |values| {
        with_registry(values, &arguments.registry)
    })?;
    let (registry, of) = (&arguments.registry, &arguments.changes_of);
    let annotations = annotations::annotations(&root, registry, of)?;
    edit(&out.join("Chart.yaml"), |chart| {
        let all = json!({"annotations": annotations});
        Ok(format!("{chart}{}", yaml::text(&all)?))
    })?;
    Ok(true)
}

/// The values, with that registry for the images.
pub fn with_registry(values: &str, registry: &str) -> Result<String> {
    let (before, image) = values.split_once("\nimage:\n").context("image in values")?;
    ensure!(image.contains(NO_REGISTRY), "values have no empty registry");
    let named = format!("\n  registry: {}\n", Value::from(registry));
    let image = image.replacen(NO_REGISTRY, &named, 1);
    Ok(format!("{before}\nimage:\n{image}"))
}

fn edit(path: &Path, change: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(fs::write(path, change(&text)?)?)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for file in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let file = file?;
        let target = to.join(file.file_name());
        if file.file_type()?.is_dir() {
            copy_folder(&file.path(), &target)?;
        } else {
            fs::copy(file.path(), target)?;
        }
    }
    Ok(())
}
