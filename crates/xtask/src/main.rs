//! `cargo xtask`: generated files, and checks of them.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::release::chart::ChartArguments;
use xtask::release::{chart, sbom};
use xtask::{generate, krew, output};

/// Generates and checks files.
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
        /// Write nothing; fail and name the files that would change.
        #[arg(long)]
        check: bool,
    },
    /// Copies the chart for a release, with the registry and the annotations for Artifact Hub.
    Chart(ChartArguments),
    /// Prints the crates that are linked into the programs of a release (`CycloneDX`).
    Sbom,
    /// Writes krew's manifest of kubectl-grove from the archives of a release.
    Krew(krew::KrewArguments),
}

fn main() -> anyhow::Result<ExitCode> {
    let ok = match Arguments::parse().task {
        Task::Generate { check: false } => generate::write(&output::root())?,
        Task::Generate { check: true } => generate::check(&output::root())?,
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
