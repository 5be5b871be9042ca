//! The figures of one workload.

use crate::chart::Chart;
use crate::sample::Sample;

/// The section of the report about one workload.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The workload.
    pub title: String,
    /// What the figures are of, and what they are compared with.
    pub columns: [String; 2],
    /// One line per figure.
    pub rows: Vec<Row>,
    /// What is beyond its limit, each a sentence.
    pub breaches: Vec<String>,
    /// The same as a picture.
    pub chart: Option<Chart>,
}

impl Section {
    /// Nothing measured yet of the operator beside the limit driver.
    pub fn new(title: &str) -> Self {
        Self::with_columns(title, ["operator", "limit driver"])
    }

    /// Nothing measured yet of what is called so.
    pub fn with_columns(title: &str, columns: [&str; 2]) -> Self {
        Self {
            title: title.to_owned(),
            columns: columns.map(str::to_owned),
            ..Self::default()
        }
    }

    /// Adds a line.
    pub fn row(&mut self, row: Row) {
        self.rows.push(row);
    }
}

/// A line: the figure, the operator's, what it is compared with, the operator's divided by that.
#[derive(Clone, Debug)]
pub struct Row(pub [String; 4]);

impl Row {
    /// Measured of the operator and of the limit driver.
    pub fn compared(figure: &str, ours: &Sample, raw: &Sample) -> Self {
        Self([
            figure.to_owned(),
            ours.show(),
            raw.show(),
            ratio(ours, raw.mean()),
        ])
    }

    /// Counted, beside the least possible.
    pub fn counted(figure: &str, ours: &Sample, least: f64) -> Self {
        Self([
            figure.to_owned(),
            ours.show(),
            format!("least {}", number(least)),
            ratio(ours, least),
        ])
    }

    /// Beside what is aimed at, if anything is.
    pub fn aimed(figure: &str, value: f64, goal: Option<f64>) -> Self {
        let ours = Sample::from_iter([value]);
        let Some(goal) = goal else {
            return Self::alone(figure, &ours);
        };
        Self([
            figure.to_owned(),
            ours.show(),
            format!("goal {}", number(goal)),
            ratio(&ours, goal),
        ])
    }

    /// Measured several times, beside what is aimed at.
    pub fn sought(figure: &str, ours: &Sample, goal: f64) -> Self {
        let (shown, goal_shown) = (ours.show(), number(goal));
        Self([figure.to_owned(), shown, goal_shown, ratio(ours, goal)])
    }

    /// Both, where a ratio says nothing.
    pub fn beside(figure: &str, ours: &Sample, other: &Sample) -> Self {
        Self([figure.to_owned(), ours.show(), other.show(), String::new()])
    }

    /// Compared with nothing.
    pub fn alone(figure: &str, ours: &Sample) -> Self {
        Self([figure.to_owned(), ours.show(), String::new(), String::new()])
    }
}

fn ratio(ours: &Sample, other: f64) -> String {
    if other > 0.0 {
        format!("{:.2}", ours.mean() / other)
    } else {
        String::new()
    }
}

fn number(value: f64) -> String {
    format!("{value:.2}")
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
