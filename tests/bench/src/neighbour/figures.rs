//! The figures about the small tenant.

use std::time::Duration;

use crate::sample::Sample;
use crate::section::{Row, Section};

/// For p99 beside the crowd, in ms, of a machine that is quiet otherwise.
const GOAL: f64 = 500.0;

/// What one run took.
#[derive(Clone, Debug)]
pub struct Run {
    /// Per failure of the small tenant alone, from its answer until the breach was seen.
    pub alone: Vec<Duration>,
    /// The same while the other tenant creates.
    pub beside: Vec<Duration>,
    /// From the first request of each such creation until all its pods are Ready.
    pub creations: Vec<Duration>,
}

/// The failures of all runs are one sample.
pub fn section(title: &str, runs: &[Run]) -> Section {
    let mut section = Section::with_columns(title, ["beside it", "alone"]);
    let beside = milliseconds(runs, |run| &run.beside);
    let alone = milliseconds(runs, |run| &run.alone);
    for (name, of) in [
        ("p50", (|s| s.percentile(50)) as fn(&Sample) -> f64),
        ("p99", |s| s.percentile(99)),
        ("max", Sample::max),
    ] {
        let [beside, alone] = [&beside, &alone].map(|sample| Sample::from_iter([of(sample)]));
        let figure = format!("ms failure to condition, {name}");
        section.row(Row::compared(&figure, &beside, &alone));
    }
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

fn milliseconds(runs: &[Run], of: fn(&Run) -> &Vec<Duration>) -> Sample {
    let all = runs.iter().flat_map(of);
    all.map(|time| time.as_secs_f64() * 1000.0).collect()
}
