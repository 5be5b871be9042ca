//! The figures of a workload.

use super::judge::judge;
use super::times::Times;
use crate::limit;
use crate::ours::Run;
use crate::parts::{self, Seconds};
use crate::requests::{is_event, is_read, is_status};
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;

type Figure<T> = (&'static str, fn(&T) -> f64);

const TIMES: [Figure<Times>; 4] = [
    ("s until all created", |t| t.created),
    ("s until all ungated", |t| t.ungated),
    ("s until all Ready", |t| t.ready),
    ("s until all deleted", |t| t.deleted),
];

/// The operator compared with the limit driver.
pub fn section(shape: &Shape, limits: &[limit::Run], runs: &[Run]) -> Section {
    let mut section = Section::new(&shape.title);
    for (figure, of) in TIMES {
        let ours = runs.iter().map(|run| of(&run.times)).collect();
        let limits = limits.iter().map(|run| of(&run.times)).collect();
        section.row(Row::compared(figure, &ours, &limits));
    }
    count_cpu(&mut section, limits, runs);
    let sample = |of: fn(&Run) -> f64| runs.iter().map(of).collect::<Sample>();
    let peak_rss = sample(|r| r.peak_rss);
    section.row(Row::alone("operator peak RSS MB", &peak_rss));
    let least = f64::from(shape.least_requests());
    let pods = f64::from(shape.pods_measured());
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

fn count_cpu(section: &mut Section, limits: &[limit::Run], runs: &[Run]) {
    section.row(Row::compared(
        "CPU s: operator, or driver",
        &runs.iter().map(|run| run.cpu).collect(),
        &limits.iter().map(|run| run.cpu).collect(),
    ));
    let ours: Vec<&Seconds> = runs.iter().map(|run| &run.parts).collect();
    let others: Vec<&Seconds> = limits.iter().map(|run| &run.parts).collect();
    count_parts(section, &ours, &others);
    let deletion = runs.iter().map(|run| run.deletion_cpu).collect();
    section.row(Row::alone("operator CPU s, deletion", &deletion));
}

fn count_parts(section: &mut Section, ours: &[&Seconds], others: &[&Seconds]) {
    for (index, name) in parts::NAMES.iter().enumerate() {
        let of = |runs: &[&Seconds]| -> Sample {
            let seconds = runs.iter().filter_map(|run| run.0.get(index));
            seconds.copied().collect()
        };
        let figure = format!("CPU s: {name}");
        section.row(Row::compared(&figure, &of(ours), &of(others)));
    }
}

/// The operator compared with that of another revision.
pub fn beside(shape: &Shape, base: &str, runs: &[Run], others: &[Run]) -> Section {
    let title = format!("{}, and before", shape.title);
    let mut section = Section::with_columns(&title, ["operator", base]);
    let mut row = |figure: &str, of: &dyn Fn(&Run) -> f64| {
        let (ours, others) = (
            runs.iter().map(of).collect(),
            others.iter().map(of).collect(),
        );
        section.row(Row::compared(figure, &ours, &others));
    };
    for (figure, of) in TIMES {
        row(figure, &|run| of(&run.times));
    }
    row("CPU s: operator", &|run| run.cpu);
    row("- per CPU s of the control plane", &|run| {
        run.cpu / run.parts.sum()
    });
    row("operator CPU s, deletion", &|run| run.deletion_cpu);
    row("operator peak RSS MB", &|run| run.peak_rss);
    row("requests", &|run| f64::from(run.requests.without_events()));
    row("events, apart", &|run| {
        f64::from(run.requests.count(is_event))
    });
    let ours: Vec<&Seconds> = runs.iter().map(|run| &run.parts).collect();
    let others: Vec<&Seconds> = others.iter().map(|run| &run.parts).collect();
    count_parts(&mut section, &ours, &others);
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
