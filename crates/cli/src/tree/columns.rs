//! The columns of a tree.

use crate::output::Table;

/// The columns by importance: the last ones are left out first.
const HEADING: [&str; 8] = [
    "NAME", "READY", "STATE", "AGE", "INDEX", "NODE", "HOST", "RANK",
];
/// These are always drawn.
const FEWEST: usize = 3;

/// The table with as many columns as fit into that width; without a width all of them.
pub(super) fn draw(rows: &[&[String]], width: Option<usize>) -> String {
    let counts = (FEWEST..=HEADING.len()).rev();
    let fits = |text: &String| width.is_none_or(|width| widest(text) <= width);
    counts
        .map(|count| table(rows, count))
        .find(fits)
        .unwrap_or_else(|| table(rows, FEWEST))
}

fn table(rows: &[&[String]], columns: usize) -> String {
    let mut table = Table::new(HEADING.get(..columns).unwrap_or(&HEADING));
    for row in rows {
        table.row(row.iter().take(columns).cloned().collect());
    }
    table.print()
}

/// The columns of the longest line, without styles.
pub(super) fn widest(text: &str) -> usize {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.lines().map(|l| l.chars().count()).max().unwrap_or(0)
}
