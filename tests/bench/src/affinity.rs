//! Gangs whose pods prefer a rack by pod affinity, compared with the same gangs without: the affinity
//! costs the scheduler time (docs/topology.md).

use anyhow::{Context as _, Result};
use serde::de::IgnoredAny;

use crate::calls;
use crate::operator::Program;
use crate::ours::{self, Run};
use crate::parts;
use crate::progress::say;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;
use crate::shape::manifest;
use crate::site::{Site, Told};

/// A part of its title, by which it is asked for.
pub const ONLY: &str = "affinity";
const COLUMNS: [&str; 2] = ["with affinity", "without"];
/// The part of the control plane that reads the affinity.
const SCHEDULER: &str = "kube-scheduler";
const TOPOLOGIES: &str = "/apis/grove.io/v1alpha1/clustertopologybindings";

/// Runs them in turns: without, with affinity, without, ... on a cluster whose scheduler places gangs.
pub async fn measure(site: &Site, pods: u32, rounds: u32) -> Result<Section> {
    let (packed, plain) = (Shape::of_packed_eights(pods), Shape::of_eights(pods));
    let binding = calls::post(TOPOLOGIES, &manifest::topology())?;
    calls::send::<IgnoredAny>(&site.user, binding).await?;
    say(&format!("{}: warm-up", packed.title));
    run(site, &packed.sample(), 0).await?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        without.push(run(site, &plain, round).await?);
        with.push(run(site, &packed, round).await?);
    }
    Ok(section(&packed.title, &with, &without))
}

async fn run(site: &Site, shape: &Shape, round: u32) -> Result<Run> {
    say(&format!("{}: run {round}", shape.title));
    let short = if shape.prefers_rack {
        "with"
    } else {
        "without"
    };
    let name = format!("bench-affinity-{short}-{round}");
    let program = Program::beside(&site.kubeconfig)?;
    let run = ours::run(site, &program, shape, &name, Told::OfGangs).await;
    let run = run.with_context(|| format!("{}: did not complete", shape.title))?;
    say(&format!("    {}", run.times.show()));
    Ok(run)
}

fn section(title: &str, with: &[Run], without: &[Run]) -> Section {
    let mut section = Section::with_columns(title, COLUMNS);
    for (figure, of) in [
        (
            "s until all ungated",
            (|r| r.times.ungated) as fn(&Run) -> f64,
        ),
        ("s until all Ready", |r| r.times.ready),
        ("CPU s: kube-scheduler", scheduler_seconds),
        ("operator CPU s", |r| r.cpu),
        ("operator peak RSS MB", |r| r.peak_rss),
        ("requests", |r| f64::from(r.requests.without_events())),
    ] {
        let sample = |runs: &[Run]| runs.iter().map(of).collect::<Sample>();
        section.row(Row::compared(figure, &sample(with), &sample(without)));
    }
    section
}

fn scheduler_seconds(run: &Run) -> f64 {
    let mut parts = parts::NAMES.iter().zip(&run.parts.0);
    let scheduler = parts.find(|(name, _)| **name == SCHEDULER);
    scheduler.map_or(0.0, |(_, seconds)| *seconds)
}
