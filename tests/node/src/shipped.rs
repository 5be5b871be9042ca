//! The shipped images: resource usage of their pods on real nodes, and their permissions.

mod confinement;
mod pods;
mod report;
mod rest;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::cluster::{Cluster, NODES};
use crate::command::printed;
use crate::release::{self, NAMESPACE};
use confinement::Confinement;
pub use report::Report;

/// How long the operators are watched while nothing changes.
const REST: Duration = Duration::from_mins(1);

/// Installs the chart with its own values and these images, into a namespace whose pods have to be
/// `restricted`, and measures its pods beside one small workload.
pub fn measure(cluster: &Cluster, operator: &Path, initc: &Path) -> Result<Report> {
    for archive in [operator, initc] {
        cluster.load_archive(archive)?;
    }
    kubectl(cluster, &["create", "namespace", NAMESPACE])?;
    let restricted = "pod-security.kubernetes.io/enforce=restricted";
    kubectl(cluster, &["label", "namespace", NAMESPACE, restricted])?;
    let begun = Instant::now();
    release::install(cluster, &[])?;
    let installed = begun.elapsed();
    let replaced = pods::time_to_ready(cluster)?;
    pods::start_workload(cluster)?;
    let waiting = Confinement::of(cluster, &NODES, "grove-initc")?;
    pods::expect_workload(cluster)?;
    let rest = rest::watch(cluster, REST)?;
    let operators = Confinement::of(cluster, &NODES, "grove-operator")?;
    Ok(Report {
        sizes: [size(operator)?, size(initc)?],
        installed,
        replaced,
        operators,
        waiting,
        rest,
        requested: pods::requested(cluster)?,
    })
}

fn size(archive: &Path) -> Result<u64> {
    let metadata = fs::metadata(archive).with_context(|| archive.display().to_string())?;
    Ok(metadata.len())
}

/// The value at that JSON pointer, or null.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn kubectl(cluster: &Cluster, args: &[&str]) -> Result<String> {
    printed(&mut cluster.tool("kubectl", args))
}
