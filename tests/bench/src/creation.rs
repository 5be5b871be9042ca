//! A workload created and deleted, in turns by the operator and by the limit driver.

use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::limit;
use crate::observer::Seen;
use crate::ours::{self, Run};
use crate::progress::say;
use crate::recording::Recording;
use crate::requests::{is_event, is_read, is_status};
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;
use crate::site::{Site, Told};

/// The bar for 1,000 pods on 60 nodes, in MB.
const MAX_MEMORY: f64 = 60.0;
/// The largest allowed ratio of requests to the least possible number, for the one clique. For the
/// other workloads the ratio is reported and not judged.
const MAX_REQUESTS: f64 = 1.05;

/// Seconds since the first request was sent.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    created: f64,
    /// Until none has a gate.
    pub ungated: f64,
    /// Until all are Ready.
    pub ready: f64,
    /// Since the first request to delete something.
    pub deleted: f64,
}

impl Times {
    /// What was seen, as times since then.
    pub fn new(began: Instant, seen: &Seen, deleted: f64) -> Result<Self> {
        let since = |moment: Option<Instant>| {
            let moment = moment.context("a moment was not seen")?;
            Ok::<_, anyhow::Error>(moment.duration_since(began).as_secs_f64())
        };
        Ok(Self {
            created: since(seen.created)?,
            ungated: since(seen.ungated)?,
            ready: since(seen.ready)?,
            deleted,
        })
    }

    /// As text.
    pub fn show(&self) -> String {
        let Self {
            created,
            ungated,
            ready,
            deleted,
        } = self;
        format!(
            "created {created:.2} s, ungated {ungated:.2} s, Ready {ready:.2} s, \
             deleted {deleted:.2} s"
        )
    }
}

/// Runs the operator, then the limit driver on what it made, and so on.
pub async fn measure(site: &Site, shape: &Shape, rounds: u32) -> Result<Section> {
    let title = &shape.title;
    say(&format!("{title}: warm-up"));
    let name = namespace(shape, "warm-up", 0);
    let warm_up = ours::run(site, &shape.sample(), &name, Told::Nothing).await;
    warm_up.with_context(|| format!("{title}: warm-up"))?;
    let (mut runs, mut limits) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        let run = by_operator(site, shape, round).await?;
        limits.push(by_driver(site, shape, &run.recording, round).await?);
        runs.push(run);
    }
    Ok(section(shape, &limits, &runs))
}

async fn by_operator(site: &Site, shape: &Shape, run: u32) -> Result<Run> {
    say(&format!("{}: operator, run {run}", shape.title));
    let name = namespace(shape, "operator", run);
    let run = ours::run(site, shape, &name, Told::Nothing).await;
    let run =
        run.with_context(|| format!("{}: the operator's run did not complete", shape.title))?;
    say(&format!("    {}", run.times.show()));
    Ok(run)
}

async fn by_driver(site: &Site, shape: &Shape, made: &Recording, run: u32) -> Result<Times> {
    say(&format!("{}: limit driver, run {run}", shape.title));
    let name = namespace(shape, "limit", run);
    let recording = made.moved(&namespace(shape, "operator", run), &name)?;
    let times = limit::run(site, &recording, &name, shape.pods()).await;
    let times = times
        .with_context(|| format!("{}: the limit driver's run did not complete", shape.title))?;
    say(&format!("    {}", times.show()));
    Ok(times)
}

fn namespace(shape: &Shape, contender: &str, run: u32) -> String {
    format!("bench-{}-{contender}-{run}", shape.title.replace(' ', "-"))
}

fn section(shape: &Shape, limits: &[Times], runs: &[Run]) -> Section {
    let mut section = Section::new(&shape.title);
    for (figure, of) in [
        ("s until all created", (|t| t.created) as fn(&Times) -> f64),
        ("s until all ungated", |t| t.ungated),
        ("s until all Ready", |t| t.ready),
        ("s until all deleted", |t| t.deleted),
    ] {
        let ours = runs.iter().map(|run| of(&run.times)).collect();
        section.row(Row::compared(
            figure,
            &ours,
            &limits.iter().map(of).collect(),
        ));
    }
    let sample = |of: fn(&Run) -> f64| runs.iter().map(of).collect::<Sample>();
    section.row(Row::alone("operator CPU s", &sample(|r| r.cpu)));
    section.row(Row::alone(
        "operator CPU s, deletion",
        &sample(|r| r.deletion_cpu),
    ));
    let peak_rss = sample(|r| r.peak_rss);
    section.row(Row::alone("operator peak RSS MB", &peak_rss));
    let least = f64::from(shape.least_requests());
    let pods = f64::from(shape.pods());
    let requests = sample(|r| f64::from(r.requests.without_events()));
    section.row(Row::counted("requests", &requests, least));
    let per_pod = runs
        .iter()
        .map(|r| f64::from(r.requests.without_events()) / pods);
    section.row(Row::counted(
        "requests per pod",
        &per_pod.collect(),
        least / pods,
    ));
    count(&mut section, runs);
    let reads = sample(|r| f64::from(r.requests.count(is_read)));
    let ratio = requests.max() / least;
    judge(&mut section, shape, &peak_rss, ratio, reads.max());
    section
}

fn count(section: &mut Section, runs: &[Run]) {
    let mut row = |figure: &str, of: &dyn Fn(&Run) -> u32| {
        let counts = runs.iter().map(|run| f64::from(of(run))).collect();
        section.row(Row::alone(figure, &counts));
    };
    row("of them status writes", &|r| r.requests.count(is_status));
    row("of them GET", &|r| r.requests.count(is_read));
    row("watches begun anew", &|r| r.requests.watch_restarts);
    row("events, apart", &|r| r.requests.count(is_event));
    row("requests of the deletion", &|r| {
        r.deletion_requests.without_events()
    });
    let mut kinds: Vec<&String> = runs
        .iter()
        .flat_map(|r| r.requests.by_kind.keys())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        row(&format!("- {kind}"), &|r| {
            r.requests.count(|other| other == kind)
        });
    }
}

/// What is asked for: no reads, of any workload; memory and requests of the one clique only.
fn judge(section: &mut Section, shape: &Shape, peak_rss: &Sample, requests: f64, reads: f64) {
    let title = &shape.title;
    let mut breach = |what: String| section.breaches.push(format!("{title}: {what}"));
    if reads > 0.0 {
        breach(format!("{reads} GET requests, and none is asked for"));
    }
    if shape.sets * shape.replicas * shape.cliques > 1 {
        return;
    }
    if peak_rss.max() >= MAX_MEMORY {
        breach(format!(
            "the operator had {:.1} MB resident, and less than {MAX_MEMORY} MB is asked for",
            peak_rss.max()
        ));
    }
    if requests > MAX_REQUESTS {
        breach(format!(
            "{requests:.2} times the least number of requests, \
             and at most {MAX_REQUESTS} times is asked for"
        ));
    }
}
