//! The figures about failing gangs.

use std::time::Duration;

use super::{Failures, GANGS};
use crate::requests::{Requests, is_event, is_read};
use crate::sample::Sample;
use crate::section::{Row, Section};

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Per gang, from the answer to its failure until the stored condition was observed.
    pub reactions: Vec<Duration>,
    /// Per gang, from the stored expiry until one of its PodCliques was first seen terminating.
    pub delays: Vec<Duration>,
    /// From the last of these deletions until all gangs were complete again.
    pub recovery: Duration,
    /// Gangs with all pods Ready at the end.
    pub whole: u32,
    /// Requests from the first failure until all is at rest.
    pub requests: Requests,
    /// CPU seconds in the same time.
    pub cpu: f64,
}

/// The gangs of all runs are one sample.
pub fn section(failures: Failures, runs: &[Run]) -> Section {
    let mut section = Section::new(&failures.title());
    let [of_reaction, of_delay] = goals(failures);
    let reactions = milliseconds(runs, |run| &run.reactions);
    latency(
        &mut section,
        "ms failure to condition",
        &reactions,
        of_reaction,
    );
    let delays = milliseconds(runs, |run| &run.delays);
    latency(&mut section, "ms expiry to first delete", &delays, of_delay);
    let mut row = |figure: &str, of: fn(&Run) -> f64| {
        section.row(Row::alone(figure, &runs.iter().map(of).collect()));
    };
    row("s last such delete to all Ready", |r| {
        r.recovery.as_secs_f64()
    });
    row("gangs back with all pods Ready", |r| f64::from(r.whole));
    row("operator CPU s", |r| r.cpu);
    row("requests", |r| f64::from(r.requests.without_events()));
    row("of them GET", |r| f64::from(r.requests.count(is_read)));
    row("events, apart", |r| f64::from(r.requests.count(is_event)));
    if runs.iter().any(|run| run.whole != GANGS) {
        let title = failures.title();
        section
            .breaches
            .push(format!("{title}: not every gang came back"));
    }
    section
}

/// Limits of p99, in ms, on an otherwise idle machine.
fn goals(failures: Failures) -> [Option<f64>; 2] {
    match failures {
        Failures::AtOnce => [Some(500.0), None],
        Failures::Apart => [Some(50.0), Some(100.0)],
    }
}

fn milliseconds(runs: &[Run], of: fn(&Run) -> &Vec<Duration>) -> Sample {
    let all = runs.iter().flat_map(of);
    all.map(|time| time.as_secs_f64() * 1000.0).collect()
}

fn latency(section: &mut Section, figure: &str, sample: &Sample, goal: Option<f64>) {
    for (name, value, goal) in [
        ("p50", sample.percentile(50), None),
        ("p99", sample.percentile(99), goal),
        ("max", sample.max(), None),
    ] {
        section.row(Row::aimed(&format!("{figure}, {name}"), value, goal));
    }
}
