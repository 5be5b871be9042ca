//! The tree as text.

use jiff::Timestamp;

use super::branch::{Branch, BranchKind};
use super::{columns, warn_of};
use crate::output::{self, WIDTH, legible};

/// Draws the tree; without `is_wide` in 80 columns.
pub fn draw_tree(tree: &Branch, is_wide: bool) -> String {
    draw_tree_within(tree, (!is_wide).then_some(WIDTH))
}

/// Draws the tree below the warning that the operator is away, if it is.
pub fn draw_warned_tree(tree: &Branch, now: Timestamp, width: Option<usize>) -> String {
    warn_of(tree.operator_absence.as_ref(), now) + &draw_tree_within(tree, width)
}

/// Draws the tree in that many columns, where columns that do not fit are left out, the last first;
/// without a width all of them are drawn.
pub fn draw_tree_within(tree: &Branch, width: Option<usize>) -> String {
    let mut rows = Vec::new();
    collect(tree, "", "", &mut rows);
    let cells: Vec<_> = rows.iter().map(|row| &*row.cells).collect();
    let drawn = columns::draw(&cells, width);
    interleave(&drawn, &rows, width.unwrap_or(WIDTH))
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
    let number = |number: Option<i32>| number.map_or(String::new(), |number| number.to_string());
    let has_children = !branch.children.is_empty();
    rows.push(Row {
        cells: vec![
            format!("{lead}{}", title(branch)),
            cell(&branch.ready),
            state,
            cell(&branch.age),
            number(branch.index),
            cell(&branch.node),
            cell(&branch.host),
            number(branch.rank),
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

/// The cause of each branch is below its line.
fn interleave(table: &str, rows: &[Row], width: usize) -> String {
    let mut lines = table.lines();
    let mut text = lines.next().map_or(String::new(), |l| format!("{l}\n"));
    for (line, row) in lines.zip(rows) {
        text.push_str(line);
        text.push('\n');
        let Some(cause) = &row.cause else { continue };
        let width = width.saturating_sub(row.margin.chars().count()).max(30);
        for part in output::wrap(cause, width) {
            text.push_str(&row.margin);
            text.push_str(&output::dim(&part));
            text.push('\n');
        }
    }
    text
}
