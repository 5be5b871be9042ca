//! A line for each set.

use std::ops::Range;

use api::PodCliqueSet;
use api::conditions::{self, ConditionType, Reason};
use domain::object::ownership;
use jiff::Timestamp;
use serde::Serialize;

use super::columns::widest;
use crate::operator_presence::OperatorAbsence;
use crate::output::{self, Table, age_of, count, legible};

/// One set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetSummary {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// That the operator is away: the state is the one that it wrote last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_absence: Option<OperatorAbsence>,
    /// Available replicas of the wanted ones.
    pub available: String,
    /// The same as numbers.
    pub available_count: i32,
    /// The number of wanted replicas.
    pub wanted_count: i32,
    /// Reason of condition `Ready`.
    pub state: String,
    /// Whether it runs as it should; `None` while it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Its age.
    pub age: String,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Message of condition `Ready`.
    pub message: String,
}

/// The columns by importance: the last ones are left out first. Where a width is given, the message is
/// below its line.
const HEADING: [&str; 6] = ["NAMESPACE", "NAME", "AVAILABLE", "STATE", "AGE", "MESSAGE"];
const NAMESPACE: usize = 0;
const STATE: usize = 3;
const MESSAGE: usize = 5;
/// Namespace and name.
const FEWEST: usize = 2;
/// If not even these fit, the namespace is below its line.
const NAME_ONLY: Range<usize> = 1..2;

/// Before the text below a line.
const MARGIN: &str = "  ";
/// The least that such a text is wrapped to.
const LEAST: usize = 30;

impl SetSummary {
    /// Whether its condition `Ready` is true.
    pub fn is_ready(&self) -> bool {
        self.is_good == Some(true)
    }
}

/// A line for each set: those that are not ready first, by namespace and name. The operator may be away.
pub fn summarize(
    sets: &[PodCliqueSet],
    absence: Option<&OperatorAbsence>,
    now: Timestamp,
) -> Vec<SetSummary> {
    let lines = sets.iter().map(|set| line_of(set, absence, now));
    let mut lines: Vec<SetSummary> = lines.collect();
    lines.sort_by_cached_key(|line| (urgency(line), line.namespace.clone(), line.name.clone()));
    lines
}

/// Sets that need somebody, then those that start, then the others.
fn urgency(line: &SetSummary) -> u8 {
    match line.is_good {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    }
}

fn line_of(set: &PodCliqueSet, absence: Option<&OperatorAbsence>, now: Timestamp) -> SetSummary {
    let status = set.status.clone().unwrap_or_default();
    let ready = conditions::find(&status.conditions, ConditionType::Ready);
    let reason = ready.map_or("", |c| &c.reason).to_owned();
    let is_blocking = ready.is_some_and(conditions::has_blocking_reason);
    let is_ready = ready.is_some_and(|c| c.status == "True");
    let is_stuck = reason.parse().is_ok_and(Reason::is_stuck_update);
    let is_good = is_ready && !is_stuck && !is_blocking;
    let created = set.metadata.creation_timestamp.as_ref().map(|at| at.0);
    SetSummary {
        namespace: set.metadata.namespace.clone().unwrap_or_default(),
        name: ownership::name(&set.metadata).to_owned(),
        operator_absence: absence.cloned(),
        available: format!("{}/{}", status.available_replicas, set.spec.replicas),
        available_count: status.available_replicas,
        wanted_count: set.spec.replicas,
        is_good: (is_ready || is_blocking).then_some(is_good),
        state: reason,
        age: created.map_or(String::new(), |at| age_of(at, now)),
        created,
        message: ready.map_or(String::new(), |c| c.message.clone()),
    }
}

/// The number of sets, and of those that are not ready.
pub fn draw_sum(all: &[SetSummary]) -> String {
    let broken = all.iter().filter(|line| !line.is_ready()).count();
    format!("{}, {broken} not ready\n", count(all.len(), "set"))
}

/// Draws the lines; `with_namespace` if they have more than one namespace. The cause of a set that is not
/// ready is below its line. Without a width all columns are drawn, the message as one of them.
pub fn draw_overview(lines: &[SetSummary], with_namespace: bool, width: Option<usize>) -> String {
    let first = usize::from(!with_namespace);
    let Some(width) = width else {
        return draw_columns(lines, &(first..HEADING.len()));
    };
    let columns = fit_columns(lines, first, width);
    let table = draw_columns(lines, &columns);
    let notes = lines.iter().map(|line| note(line, first, &columns));
    interleave(&table, notes, width)
}

/// As many columns as fit into that width.
fn fit_columns(lines: &[SetSummary], first: usize, width: usize) -> Range<usize> {
    let ends = (FEWEST..=MESSAGE).rev();
    let fits = |columns: &Range<usize>| widest(&draw_columns(lines, columns)) <= width;
    let mut all = ends.map(|end| first..end);
    all.find(fits).unwrap_or(NAME_ONLY)
}

fn draw_columns(lines: &[SetSummary], columns: &Range<usize>) -> String {
    let mut table = Table::new(HEADING.get(columns.clone()).unwrap_or(&HEADING));
    for line in lines {
        let cells = cells(line);
        table.row(cells.get(columns.clone()).unwrap_or_default().to_vec());
    }
    table.print()
}

fn cells(line: &SetSummary) -> [String; 6] {
    let text = |text: &str| legible(text).into_owned();
    let words: Vec<_> = line.message.split_whitespace().collect();
    [
        text(&line.namespace),
        text(&line.name),
        text(&line.available),
        output::of_state(&line.state, line.is_good),
        text(&line.age),
        text(&words.join(" ")),
    ]
}

/// The text below a line: the values without a column, and the cause of a set that is not ready.
fn note(line: &SetSummary, first: usize, columns: &Range<usize>) -> String {
    let lacks = |column: usize| column >= first && !columns.contains(&column);
    let is_broken = !line.is_ready();
    let parts = [
        lacks(NAMESPACE).then(|| format!("namespace {}", line.namespace)),
        (is_broken && lacks(STATE)).then(|| line.state.clone()),
        is_broken.then(|| line.message.clone()),
    ];
    let parts = parts.into_iter().flatten();
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

/// Each text is below its line.
fn interleave(table: &str, notes: impl Iterator<Item = String>, width: usize) -> String {
    let width = width.saturating_sub(MARGIN.len()).max(LEAST);
    let mut rows = table.lines();
    let mut text = rows.next().map_or(String::new(), |row| format!("{row}\n"));
    for (row, note) in rows.zip(notes) {
        text.push_str(row);
        text.push('\n');
        for part in output::wrap(&note, width) {
            text.push_str(MARGIN);
            text.push_str(&output::dim(&part));
            text.push('\n');
        }
    }
    text
}
