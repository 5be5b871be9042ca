//! The report as text.

use super::place::Outcome;
use super::report::{Count, GangReport, PlacedPods, Report};
use crate::output::{self, Table};

/// The table would be empty, and "0 of 0 gangs fit" no answer.
const NO_GANG: &str = "no gang to place: spec.replicas is 0, which is the default, or each clique \
                       has 0 replicas; raise it to see whether the gangs fit";

/// Draws the report; `is_wide` adds the placement of each gang.
pub fn draw_report(report: &Report, is_wide: bool) -> String {
    let mut text = output::indent("", &report.simulation);
    text.push('\n');
    if report.gangs.is_empty() {
        text.push_str(&output::indent("", NO_GANG));
    } else {
        text.push_str(&draw_gangs(report, is_wide));
    }
    let notes = report.notes.iter();
    text.extend(notes.map(|note| output::indent("note: ", note)));
    text
}

/// The verdicts, and the number of gangs that fit.
fn draw_gangs(report: &Report, is_wide: bool) -> String {
    let mut table = Table::new(&["GANG", "VERDICT", "GUARANTEED", "BEST-EFFORT"]);
    for gang in &report.gangs {
        table.row(vec![
            output::legible(&gang.name).into_owned(),
            verdict(gang.verdict),
            share(gang.guaranteed),
            share(gang.best_effort),
        ]);
    }
    let table = table.print();
    let mut lines = table.lines();
    let mut text = String::new();
    text.extend(lines.next().map(|heading| format!("{heading}\n")));
    for (line, gang) in lines.zip(&report.gangs) {
        text.push_str(line);
        text.push('\n');
        text.push_str(&below(gang, is_wide));
    }
    text.push_str(&summary(report));
    text
}

fn verdict(outcome: Outcome) -> String {
    let (word, is_good) = match outcome {
        Outcome::Fits => ("fits", Some(true)),
        Outcome::NoPlacementFound => ("no placement found", Some(false)),
        Outcome::WaitsForBase => ("waits for base", None),
    };
    output::of_state(word, is_good)
}

fn share(count: Count) -> String {
    match count.pods {
        0 => "-".to_owned(),
        pods => format!("{} of {pods}", count.placed),
    }
}

/// The shortage, or the nodes.
fn below(gang: &GangReport, is_wide: bool) -> String {
    let reasons = gang
        .reasons
        .iter()
        .map(|reason| output::indent("  ", reason));
    let places = gang
        .placement
        .iter()
        .filter(|_| is_wide)
        .map(|placed| output::indent("  ", &place(placed)));
    reasons.chain(places).collect()
}

fn place(placed: &PlacedPods) -> String {
    let (guaranteed, best_effort) = (placed.guaranteed, placed.best_effort);
    let pods = guaranteed + best_effort;
    let extra = match best_effort {
        0 => String::new(),
        _ => format!(", {best_effort} of them best-effort"),
    };
    format!("{} of {} on {}{extra}", pods, placed.podclique, placed.node)
}

/// The number of gangs that fit.
fn summary(report: &Report) -> String {
    let gangs = report.gangs.len();
    let fitting = report
        .gangs
        .iter()
        .filter(|gang| gang.verdict == Outcome::Fits)
        .count();
    format!("\n{fitting} of {gangs} gangs fit\n")
}
