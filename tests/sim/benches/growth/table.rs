//! Figures as Markdown.

use std::collections::HashMap;
use std::fmt;

use comfy_table::CellAlignment;
use comfy_table::presets::ASCII_MARKDOWN;

/// A table with a title.
pub struct Table {
    title: String,
    cells: comfy_table::Table,
    first: HashMap<String, f64>,
}

impl Table {
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let mut cells = comfy_table::Table::new();
        cells.load_style(ASCII_MARKDOWN).set_header(columns);
        Self {
            title: title.to_owned(),
            cells,
            first: HashMap::new(),
        }
    }

    /// The ratio to the value of the first call with this name.
    pub fn ratio_to_first(&mut self, of: &str, value: f64) -> f64 {
        value / *self.first.entry(of.to_owned()).or_insert(value)
    }

    /// Adds a row, and prints a progress line at once.
    pub fn row(&mut self, cells: Vec<String>) {
        eprintln!("{}", cells.join("  "));
        self.cells.add_row(cells);
        for column in self.cells.column_iter_mut() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}\n", self.title, self.cells)
    }
}

/// The amount for each.
#[allow(clippy::cast_precision_loss, reason = "far less than 2^52")]
pub fn per(total: impl IntoAmount, count: usize) -> f64 {
    total.into_amount() / count as f64
}

/// A number that can be divided.
pub trait IntoAmount {
    fn into_amount(self) -> f64;
}

impl IntoAmount for f64 {
    fn into_amount(self) -> f64 {
        self
    }
}

impl IntoAmount for u32 {
    fn into_amount(self) -> f64 {
        self.into()
    }
}

#[allow(clippy::cast_precision_loss, reason = "far less than 2^52")]
impl IntoAmount for u64 {
    fn into_amount(self) -> f64 {
        self as f64
    }
}
