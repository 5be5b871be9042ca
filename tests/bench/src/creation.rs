//! A workload created (or scaled) and deleted in turns by the operator, by the limit driver and, if
//! there is one, by the operator of another revision.

mod chart;
mod figures;
mod judge;
mod times;

use anyhow::{Context as _, Result};

use crate::base::Base;
use crate::limit;
use crate::operator::Program;
use crate::ours::{self, Run};
use crate::progress::say;
use crate::recording::Recording;
use crate::section::Section;
use crate::shape::Shape;
use crate::site::{Site, Told};
pub use times::Times;

/// Runs the operator, then the limit driver with the operator's objects, then the base, and so on.
pub async fn measure(
    site: &Site,
    base: Option<&Base>,
    shape: &Shape,
    rounds: u32,
) -> Result<Vec<Section>> {
    let title = &shape.title;
    let ours = Program::beside(&site.kubeconfig)?;
    let contender = |name, program| Contender {
        site,
        program,
        name,
    };
    let (ours, base_program) = (
        contender("operator", ours),
        base.map(|base| contender("base", base.program.clone())),
    );
    for contender in std::iter::once(&ours).chain(&base_program) {
        contender.warm_up(shape).await?;
    }
    let (mut runs, mut limits, mut bases) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        let run = ours.run(shape, round).await?;
        limits.push(by_driver(site, shape, &run.recording, round).await?);
        runs.push(run);
        if let Some(base) = &base_program {
            bases.push(base.run(shape, round).await?);
        }
    }
    let mut section = figures::section(shape, &limits, &runs);
    section.chart = Some(chart::chart(
        title,
        &runs,
        &limits,
        base.map(|b| b.name.as_str()),
        &bases,
    ));
    let beside = base.map(|base| figures::beside(shape, &base.name, &runs, &bases));
    Ok(std::iter::once(section).chain(beside).collect())
}

/// A measured operator.
struct Contender<'a> {
    site: &'a Site,
    program: Program,
    name: &'static str,
}

impl Contender<'_> {
    async fn warm_up(&self, shape: &Shape) -> Result<()> {
        say(&format!("{}: {}, warm-up", shape.title, self.name));
        let run = self.measure(&shape.sample(), 0).await;
        run.with_context(|| format!("{}: warm-up of {}", shape.title, self.name))?;
        Ok(())
    }

    async fn run(&self, shape: &Shape, round: u32) -> Result<Run> {
        say(&format!("{}: {}, run {round}", shape.title, self.name));
        let run = self.measure(shape, round).await.with_context(|| {
            format!("{}: the run of {} did not complete", shape.title, self.name)
        })?;
        say(&format!("    {}", run.times.show()));
        Ok(run)
    }

    async fn measure(&self, shape: &Shape, round: u32) -> Result<Run> {
        let name = namespace(shape, self.name, round);
        ours::run(self.site, &self.program, shape, &name, Told::Nothing).await
    }
}

async fn by_driver(site: &Site, shape: &Shape, made: &Recording, run: u32) -> Result<limit::Run> {
    say(&format!("{}: limit driver, run {run}", shape.title));
    let name = namespace(shape, "limit", run);
    let recording = made.moved(&namespace(shape, "operator", run), &name)?;
    let run = limit::run(site, &recording, shape, &name).await;
    let run =
        run.with_context(|| format!("{}: the limit driver's run did not complete", shape.title))?;
    say(&format!("    {}", run.times.show()));
    Ok(run)
}

fn namespace(shape: &Shape, contender: &str, run: u32) -> String {
    format!("bench-{}-{contender}-{run}", shape.title.replace(' ', "-"))
}
