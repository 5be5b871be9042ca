//! The figures about admission.

use std::time::Duration;

use super::durations::Durations;
use crate::sample::Sample;
use crate::section::{Row, Section};

/// The durations of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Per creation with the webhook.
    pub with: Vec<Duration>,
    /// The same without it.
    pub without: Vec<Duration>,
    /// The webhook's own durations.
    pub answered: Durations,
}

/// The creations of all runs are one sample.
pub fn section(title: &str, runs: &[Run]) -> Section {
    let mut section = Section::with_columns(title, ["with webhook", "without"]);
    let with = milliseconds(runs, |run| &run.with);
    let without = milliseconds(runs, |run| &run.without);
    for percent in [50, 99] {
        let [of, beside] = [&with, &without].map(|sample| sample.percentile(percent));
        let [with, without, more] = [of, beside, of - beside].map(|n| Sample::from_iter([n]));
        let figure = format!("ms creation, p{percent}");
        section.row(Row::compared(&figure, &with, &without));
        let figure = format!("ms more with it, p{percent}");
        section.row(Row::alone(&figure, &more));
    }
    add_own_times(&mut section, runs);
    let [with, without] = [&with, &without].map(|sample| Sample::from_iter([sample.count()]));
    section.row(Row::beside("creations", &with, &without));
    section
}

/// Metrics have bounds only; the largest of several runs counts.
fn add_own_times(section: &mut Section, runs: &[Run]) {
    let Some(first) = runs.first() else { return };
    for (webhook, _) in first.answered.counts() {
        let all = runs.iter().flat_map(|run| run.answered.percentiles(99));
        let own = all.filter(|(name, _)| *name == webhook);
        let own: Sample = own.map(|(_, seconds)| seconds * 1000.0).collect();
        let figure = format!("ms {webhook}, p99 at most");
        section.row(Row::alone(&figure, &Sample::from_iter([own.max()])));
    }
}

fn milliseconds(runs: &[Run], of: fn(&Run) -> &Vec<Duration>) -> Sample {
    let all = runs.iter().flat_map(of);
    all.map(|took| took.as_secs_f64() * 1000.0).collect()
}
