//! Runs the shipped images on two real nodes, and prints their resource usage; `make test-image`
//! builds them first.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use node_tests::cluster::Cluster;
use node_tests::programs::checkout;
use node_tests::shipped;

/// Installs the chart with these images, and prints a table of their pods' resource usage. Fails if
/// a pod may do more than the chart documents, or uses more at rest than it requests.
#[derive(Debug, Parser)]
struct Args {
    /// How the images were built, for the table.
    built: String,
    /// The image of the operator, an OCI archive.
    operator: PathBuf,
    /// The image of the init container, an OCI archive.
    initc: PathBuf,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let folder = checkout().join(".localcluster/test-image");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let programs = args.operator.parent().unwrap_or(&folder);
    let cluster = Cluster::start(&folder, programs)?;
    let report = shipped::measure(&cluster, &args.operator, &args.initc);
    cluster.stop()?;
    let report = report?;
    println!("{}", report.table(&args.built));
    for excess in &report.excesses() {
        eprintln!("make test-image: {excess}");
    }
    Ok(if report.excesses().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
