//! A report as text.

use super::remark::Severity;
use super::report::{Finding, Report};
use crate::output::{self, count};

/// The indent of continued lines: only the first line of a finding begins with its file.
const MARGIN: usize = 4;

/// Draws the findings, each beginning with `file:line:column: severity:`, a summary, and a note about
/// assumptions. Without a width each of them is one line, for programs that read lines.
pub fn draw_report(report: &Report, width: Option<usize>) -> String {
    let findings = report.findings.iter();
    let mut text: String = findings.map(|f| draw_finding(f, width)).collect();
    text.push_str(&summary(report));
    text.push_str(&draw_assumed(&report.assumed, width));
    text
}

/// One note for all sets: an operator as installed may refuse what a file alone does not show.
fn draw_assumed(assumed: &[&str], width: Option<usize>) -> String {
    if assumed.is_empty() {
        return String::new();
    }
    let note = format!(
        "note: assumed that the operator's configuration allows {}; pass --operator-config FILE to check it",
        assumed.join(", ")
    );
    output::indent_within("", &note, width.unwrap_or(usize::MAX))
}

fn draw_finding(finding: &Finding, width: Option<usize>) -> String {
    let remark = &finding.remark;
    let place = format!("{}:{}:{}:", finding.file, finding.line, finding.column);
    let said = match remark.severity {
        Severity::Error => remark.to_string(),
        Severity::Warning => format!("{remark} [{}]", remark.rule.id),
    };
    let severity = format!("{}:", remark.severity.word());
    let mut text = String::new();
    let width = width.map_or(usize::MAX, |width| width.saturating_sub(MARGIN));
    let whole = format!("{place} {severity} {}", break_paths(&said, width));
    for (i, line) in output::wrap(&whole, width).iter().enumerate() {
        if i > 0 {
            text.push_str(&" ".repeat(MARGIN));
        }
        text.push_str(line);
        text.push('\n');
    }
    styled(&text, &place, &severity, remark.severity)
}

/// Puts a blank before a dot of each path that is longer than a line, so that it is wrapped there. Words
/// with a slash, such as images and files, stay whole.
fn break_paths(text: &str, width: usize) -> String {
    let is_path = |word: &str| word.chars().count() > width && !word.contains('/');
    let words = text.split_whitespace().map(|word| {
        if is_path(word) {
            break_path(word, width)
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Fills each part: no two of them fit one line.
fn break_path(path: &str, width: usize) -> String {
    let mut broken = String::new();
    let mut filled = 0_usize;
    for (number, field) in path.split('.').enumerate() {
        let dot = if number == 0 { "" } else { "." };
        let columns = field.chars().count().saturating_add(dot.len());
        if number > 0 && filled.saturating_add(columns) > width {
            broken.push(' ');
            filled = 0;
        }
        broken.push_str(dot);
        broken.push_str(field);
        filled = filled.saturating_add(columns);
    }
    broken
}

/// The first words are bold.
fn styled(text: &str, place: &str, severity: &str, of: Severity) -> String {
    let colour = match of {
        Severity::Error => output::warn(severity),
        Severity::Warning => output::of_state(severity, None),
    };
    let text = text.replacen(severity, &colour, 1);
    text.replacen(place, &output::bold(place), 1)
}

fn summary(report: &Report) -> String {
    let skipped = match report.skipped {
        0 => String::new(),
        n => format!(", {n} of other kinds skipped"),
    };
    format!(
        "{}, {} in {}: {} checked{skipped}\n",
        count(report.errors(), "error"),
        count(report.warnings(), "warning"),
        count(report.files, "file"),
        count(report.checked, "object"),
    )
}
