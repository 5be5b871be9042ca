//! The figures of an update.

use std::collections::BTreeSet;

use crate::requests::{Requests, is_event, is_read, is_status};
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// From the edit until the set reports the end.
    pub seconds: f64,
    /// Requests until all is at rest.
    pub requests: Requests,
    /// CPU seconds in the same time.
    pub cpu: f64,
    /// The peak of the resident memory, in MB.
    pub peak_rss: f64,
}

/// The operator's requests compared with the least number. The scheduler, KWOK and the turns decide
/// about the time.
pub fn section(shape: &Shape, runs: &[Run]) -> Section {
    let mut section = Section::with_columns(&shape.title, ["operator", "limit of its writes"]);
    let sample = |of: &dyn Fn(&Run) -> f64| runs.iter().map(of).collect::<Sample>();
    section.row(Row::alone(
        "s until the update has ended",
        &sample(&|run| run.seconds),
    ));
    section.row(Row::alone("operator CPU s", &sample(&|run| run.cpu)));
    let peak_rss = sample(&|run| run.peak_rss);
    section.row(Row::alone("operator peak RSS MB", &peak_rss));
    let least = f64::from(shape.least_requests_of_update());
    let pods = f64::from(shape.pods());
    let requests = sample(&|run| f64::from(run.requests.without_events()));
    section.row(Row::counted("requests", &requests, least));
    let per_pod = sample(&|run| f64::from(run.requests.without_events()) / pods);
    section.row(Row::counted("requests per pod", &per_pod, least / pods));
    count(&mut section, runs);
    section
}

fn count(section: &mut Section, runs: &[Run]) {
    let mut row = |figure: &str, fits: &dyn Fn(&str) -> bool| {
        let counts = runs.iter().map(|run| f64::from(run.requests.count(fits)));
        section.row(Row::alone(figure, &counts.collect()));
    };
    row("of them status writes", &is_status);
    row("of them GET", &is_read);
    row("events, apart", &is_event);
    let kinds = runs.iter().flat_map(|run| run.requests.by_kind.keys());
    for kind in kinds.collect::<BTreeSet<_>>() {
        row(&format!("- {kind}"), &|other| other == kind);
    }
}
