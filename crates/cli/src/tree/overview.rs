//! A line for each set.

use api::PodCliqueSet;
use api::conditions::{self, ConditionType};
use domain::object::ownership;
use domain::object::text::cut_text;
use jiff::Timestamp;
use serde::Serialize;

use crate::output::{self, Table, age_of, count, legible};

/// One set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetSummary {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
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

/// The columns; the message needs room of its own.
const HEADING: [&str; 6] = ["NAMESPACE", "NAME", "AVAILABLE", "STATE", "AGE", "MESSAGE"];
const MESSAGE: usize = 5;
/// A message in less room says nothing.
const LEAST: usize = 30;
/// Between two columns.
const GAP: usize = 3;

impl SetSummary {
    /// Whether its condition `Ready` is true.
    pub fn is_ready(&self) -> bool {
        self.is_good == Some(true)
    }
}

/// A line for each set: those that are not ready first, by namespace and name.
pub fn summarize(sets: &[PodCliqueSet], now: Timestamp) -> Vec<SetSummary> {
    let mut lines: Vec<SetSummary> = sets.iter().map(|set| line_of(set, now)).collect();
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

fn line_of(set: &PodCliqueSet, now: Timestamp) -> SetSummary {
    let status = set.status.clone().unwrap_or_default();
    let ready = conditions::find(&status.conditions, ConditionType::Ready);
    let reason = ready.map_or("", |c| &c.reason).to_owned();
    let is_blocking = ready.is_some_and(conditions::has_blocking_reason);
    let is_ready = ready.is_some_and(|c| c.status == "True");
    let is_good = is_ready && !ready.is_some_and(super::build::is_update_stuck);
    let created = set.metadata.creation_timestamp.as_ref().map(|at| at.0);
    SetSummary {
        namespace: set.metadata.namespace.clone().unwrap_or_default(),
        name: ownership::name(&set.metadata).to_owned(),
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

/// Draws the lines; `with_namespace` if they have more than one namespace. The message of a set that is
/// not ready is cut to the rest of the width; without a width it is whole.
pub fn draw_overview(lines: &[SetSummary], with_namespace: bool, width: Option<usize>) -> String {
    let room = width.map_or(usize::MAX, |width| {
        width.saturating_sub(columns_before_message(lines, with_namespace))
    });
    let shown =
        |column: &usize| (with_namespace || *column > 0) && (*column < MESSAGE || room >= LEAST);
    let pick = |cells: &[String]| -> Vec<String> {
        let columns = (0..HEADING.len()).filter(shown);
        columns.filter_map(|c| cells.get(c).cloned()).collect()
    };
    let heading = pick(&HEADING.map(str::to_owned));
    let mut table = Table::new(&heading.iter().map(|h| &**h).collect::<Vec<_>>());
    for line in lines {
        table.row(pick(&cells(line, room)));
    }
    table.print()
}

/// The width of all columns but the message.
fn columns_before_message(lines: &[SetSummary], with_namespace: bool) -> usize {
    let first = usize::from(!with_namespace);
    let width = |column: usize| {
        let cells = lines.iter().map(|line| plain(line, column).chars().count());
        let heading = HEADING.get(column).map_or(0, |heading| heading.len());
        cells.max().unwrap_or(0).max(heading) + GAP
    };
    (first..MESSAGE).map(width).sum()
}

fn plain(line: &SetSummary, column: usize) -> &str {
    let cells = [
        &line.namespace,
        &line.name,
        &line.available,
        &line.state,
        &line.age,
    ];
    cells.get(column).map_or("", |cell| cell.as_str())
}

fn cells(line: &SetSummary, room: usize) -> [String; 6] {
    let text = |text: &str| legible(text).into_owned();
    let message = if line.is_ready() && room < usize::MAX {
        String::new()
    } else {
        let words: Vec<_> = line.message.split_whitespace().collect();
        cut_text(&text(&words.join(" ")), room.saturating_sub(1))
    };
    [
        text(&line.namespace),
        text(&line.name),
        text(&line.available),
        output::of_state(&line.state, line.is_good),
        text(&line.age),
        message,
    ]
}
