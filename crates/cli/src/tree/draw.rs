//! The tree as text.

use super::branch::{Branch, BranchKind};
use crate::output::{self, Table, WIDTH, legible};

/// Draws the tree; without `is_wide` in 80 columns, where columns are dropped, NODE first.
pub fn draw_tree(tree: &Branch, is_wide: bool) -> String {
    let mut rows = Vec::new();
    collect(tree, "", "", &mut rows);
    let columns = (3..=5).rev();
    let fits = |text: &String| is_wide || widest(text) <= WIDTH;
    let last = table(&rows, 3);
    let drawn = columns
        .map(|count| table(&rows, count))
        .find(fits)
        .unwrap_or(last);
    interleave(&drawn, &rows)
}

/// A line of the table, and the text below it.
struct Row {
    cells: Vec<String>,
    /// The margin before the cause, which continues the branches.
    margin: String,
    cause: Option<String>,
}

fn collect(branch: &Branch, lead: &str, margin: &str, rows: &mut Vec<Row>) {
    let state = output::of_state(&branch.state, branch.is_good);
    let cell = |text: &Option<String>| legible(text.as_deref().unwrap_or_default()).into_owned();
    let has_children = !branch.children.is_empty();
    rows.push(Row {
        cells: vec![
            format!("{lead}{}", title(branch)),
            cell(&branch.ready),
            state,
            cell(&branch.age),
            cell(&branch.node),
        ],
        margin: format!("{margin}{}", if has_children { "│ " } else { "  " }),
        cause: branch.cause.clone(),
    });
    for (number, child) in branch.children.iter().enumerate() {
        let is_last = number + 1 == branch.children.len();
        let (fork, beside) = if is_last {
            ("└─", "  ")
        } else {
            ("├─", "│ ")
        };
        let (lead, margin) = (format!("{margin}{fork}"), format!("{margin}{beside}"));
        collect(child, &lead, &margin, rows);
    }
}

fn title(branch: &Branch) -> String {
    let gang = branch.gang.as_ref();
    let gang = gang.map_or(String::new(), |g| output::dim(&format!(" gang {g}")));
    match branch.kind {
        BranchKind::Replica | BranchKind::GroupReplica => {
            format!("replica {}{gang}", legible(&branch.name))
        }
        BranchKind::Set | BranchKind::Group | BranchKind::Clique => output::bold(&branch.name),
        BranchKind::Pod => legible(&branch.name).into_owned(),
    }
}

fn table(rows: &[Row], columns: usize) -> String {
    let heading = ["NAME", "READY", "STATE", "AGE", "NODE"];
    let mut table = Table::new(heading.get(..columns).unwrap_or(&heading));
    for row in rows {
        table.row(row.cells.iter().take(columns).cloned().collect());
    }
    table.print()
}

fn widest(text: &str) -> usize {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.lines().map(|l| l.chars().count()).max().unwrap_or(0)
}

/// The cause of each branch is below its line.
fn interleave(table: &str, rows: &[Row]) -> String {
    let mut lines = table.lines();
    let mut text = lines.next().map_or(String::new(), |l| format!("{l}\n"));
    for (line, row) in lines.zip(rows) {
        text.push_str(line);
        text.push('\n');
        let Some(cause) = &row.cause else { continue };
        let width = WIDTH.saturating_sub(row.margin.chars().count()).max(30);
        for part in output::wrap(cause, width) {
            text.push_str(&row.margin);
            text.push_str(&output::dim(&part));
            text.push('\n');
        }
    }
    text
}
