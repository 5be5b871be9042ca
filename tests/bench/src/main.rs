//! `make bench`: cost and speed of the operator, compared with a driver without any logic on the
//! same control plane in the same run. `docs/performance.md` explains each figure.
//!
//! Another kind of workload is a module beside `creation` that returns a [`section::Section`],
//! called in [`measure`].

mod admission;
mod affinity;
mod base;
mod calls;
mod chart;
mod conditions;
mod creation;
mod curve;
mod deletion;
mod document;
mod gangs;
mod hanging;
mod large;
mod limit;
mod namespace;
mod neighbour;
mod observer;
mod operator;
mod ours;
mod parts;
mod plugin;
mod podclique;
mod pods;
mod process;
mod progress;
mod recording;
mod report;
mod requests;
mod rest;
mod sample;
mod section;
mod shape;
mod site;
mod storm;
mod takeover;
mod updating;
mod watching;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use base::{Base, Revision};
use progress::say;
use report::Report;
use section::Section;
use shape::Shape;
use site::{Site, Told};
use storm::Failures;

/// Pods of the largest workload; runs with fewer are for trying the benchmark out.
const PODS: u32 = 1000;

/// Measures the operator beside a driver without logic, on a private control plane.
#[derive(Parser)]
struct Args {
    /// Pods of the largest workload; the others shrink with it. For a quick smoke: 100.
    #[arg(long, env = "BENCH_PODS", default_value_t = PODS,
          value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pods: u32,
    /// How many times the operator runs each workload, each time followed by the limit driver.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=50))]
    rounds: u32,
    /// Only the workloads whose titles contain one of these, which commas separate.
    #[arg(long, env = "BENCH_ONLY", default_value = "", value_delimiter = ',')]
    only: Vec<String>,
    /// A revision of this repository whose operator is built and run in the same rounds.
    #[arg(long, env = "BENCH_BASE", default_value = "")]
    base: String,
    /// Markdown file whose table between the markers is replaced.
    #[arg(long)]
    write: Option<PathBuf>,
}

impl Args {
    fn asks_for(&self, title: &str) -> bool {
        self.only.iter().any(|only| title.contains(only.as_str()))
    }

    /// For a workload that takes far longer than all others.
    fn names(&self, title: &str) -> bool {
        self.only.iter().any(|only| only.contains(title))
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(sections) => verdict(&sections),
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Every figure beyond its limit, as a sentence.
fn verdict(sections: &[Section]) -> ExitCode {
    let breaches: Vec<&String> = sections.iter().flat_map(|s| &s.breaches).collect();
    for breach in &breaches {
        eprintln!("bench: {breach}");
    }
    if breaches.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

// The main thread starts the operators: the kernel ends them when it ends.
#[tokio::main]
async fn run(args: &Args) -> Result<Vec<Section>> {
    if args.write.is_some() && args.pods != PODS {
        bail!("figures of fewer pods do not belong into the document: leave BENCH_PODS unset");
    }
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let sections = tokio::select! {
        measured = measure(args) => measured?,
        _ = tokio::signal::ctrl_c() => bail!("interrupted; everything that it started has ended"),
        _ = terminate.recv() => bail!("terminated; everything that it started has ended"),
    };
    Ok(sections)
}

/// Compiles before any measurement; blocking, so that Ctrl-C works meanwhile.
async fn revision(base: &str) -> Result<Option<Revision>> {
    if base.is_empty() {
        return Ok(None);
    }
    let base = base.to_owned();
    let built = tokio::task::spawn_blocking(move || Revision::build(&base)).await??;
    Ok(Some(built))
}

async fn measure(args: &Args) -> Result<Vec<Section>> {
    let revision = revision(&args.base).await?;
    let before = conditions::before();
    let site = Site::start(Told::Nothing).await?;
    let mut report = Report::new(args, before.with(&site.version, args.rounds));
    let base = revision.map(|revision| Base::install(&site, &revision));
    let base = base.transpose()?;
    let shapes = Shape::all(args.pods).into_iter();
    for shape in shapes.filter(|shape| args.asks_for(&shape.title)) {
        report.add(creation::measure(&site, base.as_ref(), &shape, args.rounds).await?)?;
    }
    let storms = [Failures::AtOnce, Failures::Apart].into_iter();
    for failures in storms.filter(|failures| args.asks_for(&failures.title())) {
        report.add([storm::measure(&site, failures, args.rounds).await?])?;
    }
    let crowd = Shape::crowd(args.pods);
    if args.asks_for(&neighbour::title(&crowd)) {
        report.add([neighbour::measure(&site, &crowd, args.rounds).await?])?;
    }
    if args.asks_for(takeover::TITLE) {
        report.add([takeover::measure(&site).await?])?;
    }
    if args.names(updating::ONLY) {
        let updated = Shape::updated(args.pods);
        report.add([updating::measure(&site, &updated, args.rounds).await?])?;
    }
    drop(site);
    measure_elsewhere(args, &mut report).await?;
    say("the control plane is stopped");
    Ok(report.sections)
}

/// Workloads with their own control planes.
async fn measure_elsewhere(args: &Args, report: &mut Report<'_>) -> Result<()> {
    let gangs = Shape::of_eights(args.pods);
    if args.asks_for(&gangs.title) {
        let site = Site::start(Told::OfGangs).await?;
        report.add([gangs::measure(&site, &gangs, args.rounds).await?])?;
    }
    if args.asks_for(admission::TITLE) {
        report.add([admission::measure(args.rounds).await?])?;
    }
    if args.names(affinity::ONLY) {
        let site = Site::start(Told::OfGangs).await?;
        report.add([affinity::measure(&site, args.pods, args.rounds).await?])?;
    }
    let at_rest = Shape::at_rest(args.pods);
    if args.names(rest::ONLY) {
        report.add([rest::measure(&at_rest, args.rounds).await?])?;
    }
    if args.names(hanging::ONLY) {
        report.add([hanging::measure().await?])?;
    }
    if args.names(large::ONLY) {
        report.add([large::measure().await?])?;
    }
    if args.names(plugin::ONLY) {
        report.add([plugin::measure(args.pods, args.rounds).await?])?;
    }
    Ok(())
}
