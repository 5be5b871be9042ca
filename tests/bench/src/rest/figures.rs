//! The figures of the workload.

use crate::requests::Requests;
use crate::sample::Sample;
use crate::section::{Row, Section};

const MAX_RSS: f64 = 150.0;
const MAX_PEAK: f64 = 1.3;

/// The measurements.
#[derive(Clone, Debug)]
pub struct Run {
    /// Seconds until all objects existed.
    pub creation: f64,
    /// MB at rest, after a restart.
    pub rss: f64,
    /// Requests at rest.
    pub writes: Requests,
    /// CPU seconds at rest.
    pub cpu: f64,
    /// The restarts.
    pub beginnings: Vec<Beginning>,
    /// MB before everything was listed again, and the peak meanwhile.
    pub relist: (f64, f64),
}

/// Seconds of a restart, and of lists of the same kinds.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// Until the first useful write was observed.
    pub took: f64,
    /// Lists of one kind after the other.
    pub in_turn: f64,
    /// Lists of all kinds at once.
    pub at_once: f64,
}

/// The section of the report.
pub fn section(title: &str, run: &Run) -> Section {
    let mut section = Section::with_columns(title, ["operator", "beside"]);
    let one = |value: f64| Sample::from_iter([value]);
    let sample = |of: fn(&Beginning) -> f64| run.beginnings.iter().map(of).collect::<Sample>();
    section.row(Row::alone("s until all were Ready", &one(run.creation)));
    section.row(Row::aimed("MB resident at rest", run.rss, Some(MAX_RSS)));
    let (before, peak) = run.relist;
    section.row(Row::compared(
        "MB peak of lists anew, before",
        &one(peak),
        &one(before),
    ));
    let ratio = if before > 0.0 { peak / before } else { 0.0 };
    section.row(Row::aimed("that peak / before", ratio, Some(MAX_PEAK)));
    let took = sample(|b| b.took);
    for (figure, raw) in [
        ("s kill -9 to write, lists in turn", sample(|b| b.in_turn)),
        ("s kill -9 to write, lists at once", sample(|b| b.at_once)),
    ] {
        section.row(Row::compared(figure, &took, &raw));
    }
    let writes = f64::from(run.writes.count(|_| true));
    section.row(Row::alone("requests at rest in 60 s", &one(writes)));
    section.row(Row::alone("CPU s at rest in 60 s", &one(run.cpu)));
    section
}
