//! `cargo xtask`: what is written by program, and checks of it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::release::chart::ChartArguments;
use xtask::release::{chart, sbom};
use xtask::{compare, generate, krew, output};

/// Generates and checks what is written by program.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes every generated file: `config/crd`, the chart's copies and README, `docs/reference`.
    Generate {
        /// Write nothing; fail and name the files that are not as they would be written.
        #[arg(long)]
        check: bool,
    },
    /// Compares our definitions with those of a folder, e.g. Grove's `operator/api/core/v1alpha1/crds`.
    CompareCrds {
        /// Folder with definitions as YAML, one a file. Kinds that are not ours are skipped.
        folder: PathBuf,
    },
    /// Copies the chart as it is released: with the registry, and what Artifact Hub shows of it.
    Chart(ChartArguments),
    /// Prints what is linked into the programs of a release (`CycloneDX`).
    Sbom,
    /// Writes the manifest by which krew installs kubectl-grove, from the archives of a release.
    Krew(krew::KrewArguments),
}

fn main() -> anyhow::Result<ExitCode> {
    let ok = match Arguments::parse().task {
        Task::Generate { check: false } => generate::write(&output::root())?,
        Task::Generate { check: true } => generate::check(&output::root())?,
        Task::CompareCrds { folder } => compare::run(&folder)?,
        Task::Chart(arguments) => chart::run(&arguments)?,
        Task::Sbom => sbom::run()?,
        Task::Krew(arguments) => krew::run(&arguments)?,
    };
    Ok(if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
