//! Columns, as kubectl prints them: no lines, three spaces between.

use super::style;

/// Rows of cells below a heading.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this heading.
    pub fn new(heading: &[&str]) -> Self {
        Self {
            rows: vec![heading.iter().map(|h| style::bold(h)).collect()],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The whole table; each column as wide as its widest cell, the last one unpadded.
    pub fn print(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let missing = (width + 3).saturating_sub(columns(cell));
                line.push_str(cell);
                line.push_str(&" ".repeat(missing));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| columns(cell))
                .max()
                .unwrap_or(0)
        };
        (0..count).map(widest).collect()
    }
}

/// The width of a cell on a terminal, without styles.
fn columns(cell: &str) -> usize {
    let plain = anstream::adapter::strip_str(cell).to_string();
    plain.chars().count()
}
