//! The figures about the small tenant.

use std::time::Duration;

use super::probe::Took;
use crate::sample::Sample;
use crate::section::{Row, Section};

/// Limit of p99 beside the crowd, in ms, on an otherwise idle machine.
pub const GOAL: f64 = 500.0;

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Per failure of the small tenant alone.
    pub alone: Vec<Took>,
    /// The same while the other tenant creates.
    pub beside: Vec<Took>,
    /// From the first request of each such creation until all its pods are Ready.
    pub creations: Vec<Duration>,
}

/// The failures of all runs are one sample.
pub fn section(title: &str, runs: &[Run]) -> Section {
    let mut section = Section::with_columns(title, ["beside it", "alone"]);
    let since_answer = |took: &Took| took.since_answer;
    add_times(&mut section, runs, "ms failure to condition", since_answer);
    let since_watch = |took: &Took| took.since_watch;
    add_times(&mut section, runs, "ms watch to condition", since_watch);
    let beside = milliseconds(runs, |run| &run.beside, since_answer);
    let alone = milliseconds(runs, |run| &run.alone, since_answer);
    let goal = Some(GOAL);
    let figure = "its p99 beside the goal";
    section.row(Row::aimed(figure, beside.percentile(99), goal));
    let creations = runs.iter().flat_map(|run| &run.creations);
    let creations = creations.map(Duration::as_secs_f64).collect();
    section.row(Row::alone("s until its pods are Ready", &creations));
    let [beside, alone] = [&beside, &alone].map(|sample| Sample::from_iter([sample.count()]));
    section.row(Row::beside("failures", &beside, &alone));
    section
}

fn add_times(section: &mut Section, runs: &[Run], figure: &str, time: fn(&Took) -> Duration) {
    let beside = milliseconds(runs, |run| &run.beside, time);
    let alone = milliseconds(runs, |run| &run.alone, time);
    for (name, of) in [
        ("p50", (|s| s.percentile(50)) as fn(&Sample) -> f64),
        ("p99", |s| s.percentile(99)),
        ("max", Sample::max),
    ] {
        let [beside, alone] = [&beside, &alone].map(|sample| Sample::from_iter([of(sample)]));
        let figure = format!("{figure}, {name}");
        section.row(Row::compared(&figure, &beside, &alone));
    }
}

fn milliseconds(runs: &[Run], of: fn(&Run) -> &Vec<Took>, time: fn(&Took) -> Duration) -> Sample {
    let all = runs.iter().flat_map(of);
    all.map(|took| time(took).as_secs_f64() * 1000.0).collect()
}
