//! The chart of this checkout, installed by helm as a user installs it.

use std::fs;

use anyhow::{Context as _, Result};

use crate::cluster::Cluster;
use crate::command::printed;
use crate::images::REGISTRY;
use crate::programs::checkout;

/// The release.
pub const NAME: &str = "grove";
/// The release's namespace.
pub const NAMESPACE: &str = "grove-system";

/// Installs the chart, or upgrades the installed one, with these values and those of the images,
/// and waits until its operators are ready.
pub fn install(cluster: &Cluster, values: &[String]) -> Result<String> {
    let chart = checkout().join("charts/grove");
    let mut args = vec!["upgrade", "--install", NAME];
    let chart = chart.to_string_lossy().into_owned();
    args.extend([&chart, "--create-namespace", "--wait", "--timeout=120s"]);
    let registry = format!("image.registry={REGISTRY}");
    args.extend(["--reset-values", "--set", &registry]);
    args.extend(values.iter().flat_map(|value| ["--set", value]));
    helm(cluster, &args)
}

/// The output of helm for the release's namespace; it must succeed.
pub fn helm(cluster: &Cluster, args: &[&str]) -> Result<String> {
    let mut helm = cluster.tool("helm", args);
    helm.args(["--namespace", NAMESPACE]);
    printed(&mut helm)
}

/// The version of the chart's programs, which is their images' tag.
pub fn version() -> Result<String> {
    let file = checkout().join("charts/grove/Chart.yaml");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("appVersion:"));
    let version = version.with_context(|| format!("{}: no appVersion", file.display()))?;
    Ok(version.trim().trim_matches('"').to_owned())
}
