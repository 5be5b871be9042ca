//! A line for each set.

use api::PodCliqueSet;
use api::conditions::{self, ConditionType};
use domain::object::ownership;
use jiff::Timestamp;
use serde::Serialize;

use crate::output::{self, Table, age_of, legible};

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
    /// Reason of condition `Ready`.
    pub state: String,
    /// Whether it runs as it should; `None` while it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Its age.
    pub age: String,
    /// Message of condition `Ready`.
    pub message: String,
}

/// A line for each set: by namespace and name.
pub fn summarize(sets: &[PodCliqueSet], now: Timestamp) -> Vec<SetSummary> {
    let mut lines: Vec<SetSummary> = sets.iter().map(|set| line_of(set, now)).collect();
    lines.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    lines
}

fn line_of(set: &PodCliqueSet, now: Timestamp) -> SetSummary {
    let status = set.status.clone().unwrap_or_default();
    let ready = conditions::find(&status.conditions, ConditionType::Ready);
    let reason = ready.map_or("", |c| &c.reason).to_owned();
    let is_blocking = ready.is_some_and(conditions::has_blocking_reason);
    let is_ready = ready.is_some_and(|c| c.status == "True");
    let created = set.metadata.creation_timestamp.as_ref();
    SetSummary {
        namespace: set.metadata.namespace.clone().unwrap_or_default(),
        name: ownership::name(&set.metadata).to_owned(),
        available: format!("{}/{}", status.available_replicas, set.spec.replicas),
        is_good: (is_ready || is_blocking).then_some(is_ready),
        state: reason,
        age: created.map_or(String::new(), |at| age_of(at.0, now)),
        message: ready.map_or(String::new(), |c| c.message.clone()),
    }
}

/// Draws the lines; `with_namespace` if they have more than one namespace.
pub fn draw_overview(lines: &[SetSummary], with_namespace: bool, is_wide: bool) -> String {
    let heading = ["NAMESPACE", "NAME", "AVAILABLE", "STATE", "AGE", "MESSAGE"];
    let shown = |column: &usize| (with_namespace || *column > 0) && (is_wide || *column < 5);
    let pick = |cells: &[String]| -> Vec<String> {
        let columns = (0..heading.len()).filter(shown);
        columns.filter_map(|c| cells.get(c).cloned()).collect()
    };
    let heading = pick(&heading.map(str::to_owned));
    let mut table = Table::new(&heading.iter().map(|h| &**h).collect::<Vec<_>>());
    let text = |text: &str| legible(text).into_owned();
    for line in lines {
        table.row(pick(&[
            text(&line.namespace),
            text(&line.name),
            text(&line.available),
            output::of_state(&line.state, line.is_good),
            text(&line.age),
            text(&line.message),
        ]));
    }
    table.print()
}
