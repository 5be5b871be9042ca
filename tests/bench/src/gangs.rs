//! Gangs that Kubernetes' own scheduler places, compared with the same pods placed one by one.

use anyhow::{Context as _, Result};

use crate::operator::Program;
use crate::ours::{self, Run};
use crate::progress::say;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;
use crate::site::{Site, Told};

const COLUMNS: [&str; 2] = ["as gangs", "one by one"];

/// Runs them in turns: one by one, as gangs, one by one, ... on a cluster whose scheduler supports
/// gangs.
pub async fn measure(site: &Site, shape: &Shape, rounds: u32) -> Result<Section> {
    let title = &shape.title;
    say(&format!("{title}: warm-up"));
    run(site, &shape.sample(), Told::OfGangs, 0).await?;
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        alone.push(run(site, shape, Told::Nothing, round).await?);
        together.push(run(site, shape, Told::OfGangs, round).await?);
    }
    Ok(section(title, &together, &alone))
}

async fn run(site: &Site, shape: &Shape, told: Told, round: u32) -> Result<Run> {
    let (title, short) = match told {
        Told::OfGangs => (COLUMNS[0], "together"),
        Told::Nothing => (COLUMNS[1], "alone"),
    };
    say(&format!("{}: {title}, run {round}", shape.title));
    let name = format!("bench-gangs-{short}-{round}");
    let program = Program::beside(&site.kubeconfig)?;
    let run = ours::run(site, &program, shape, &name, told).await;
    let run = run.with_context(|| format!("{}: {title}: did not complete", shape.title))?;
    say(&format!("    {}", run.times.show()));
    Ok(run)
}

fn section(title: &str, together: &[Run], alone: &[Run]) -> Section {
    let mut section = Section::with_columns(title, COLUMNS);
    let sample = |runs: &[Run], of: fn(&Run) -> f64| runs.iter().map(of).collect::<Sample>();
    for (figure, of) in [
        (
            "s until all ungated",
            (|r| r.times.ungated) as fn(&Run) -> f64,
        ),
        ("s until all Ready", |r| r.times.ready),
        ("s until all deleted", |r| r.times.deleted),
        ("operator CPU s", |r| r.cpu),
        ("operator peak RSS MB", |r| r.peak_rss),
        ("requests", |r| f64::from(r.requests.without_events())),
    ] {
        let (told, untold) = (sample(together, of), sample(alone, of));
        section.row(Row::compared(figure, &told, &untold));
    }
    section
}
