//! The revisions as a table.

use jiff::Timestamp;

use super::{History, Row};
use crate::output::{self, Table};

/// The table of the revisions.
pub fn draw_history(history: &History, now: Timestamp) -> String {
    if history.revisions.is_empty() {
        return format!(
            "podcliqueset {} has no revisions: it is a job, or the operator has not accepted its \
             templates yet\n",
            history.set
        );
    }
    let mut heading = vec!["REVISION", "AGE", "CHANGED CLIQUES", "REPLICAS"];
    if history.revisions.iter().any(|row| row.reason.is_some()) {
        heading.push("REASON");
    }
    let mut table = Table::new(&heading);
    for row in &history.revisions {
        table.row(cells(row, now));
    }
    table.print()
}

fn cells(row: &Row, now: Timestamp) -> Vec<String> {
    let or_none = |text: String| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    };
    let current = if row.is_current { " (current)" } else { "" };
    let age = row.created.map(|at| output::age_of(at, now));
    let reason = row.reason.as_deref().unwrap_or_default();
    vec![
        format!("{}{current}", row.revision),
        or_none(age.unwrap_or_default()),
        or_none(row.changed_cliques.join(", ")),
        or_none(row.replicas.clone()),
        output::legible(reason).replace('\n', " "),
    ]
}
