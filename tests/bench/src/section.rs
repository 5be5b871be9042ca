//! The figures of one workload.

use crate::chart::Chart;
use crate::sample::Sample;

/// The section of the report about one workload.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The workload.
    pub title: String,
    /// Headings of the figures and of the compared ones.
    pub columns: [String; 2],
    /// One line per figure.
    pub rows: Vec<Row>,
    /// Figures beyond their limits, each a sentence.
    pub breaches: Vec<String>,
    /// The same as a picture.
    pub chart: Option<Chart>,
}

impl Section {
    /// An empty section about the operator and the limit driver.
    pub fn new(title: &str) -> Self {
        Self::with_columns(title, ["operator", "limit driver"])
    }

    /// An empty section with these columns.
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

/// A line: the figure, the operator's value, the compared value, the ratio of both.
#[derive(Clone, Debug)]
pub struct Row(pub [String; 4]);

impl Row {
    /// Measured for the operator and for the limit driver.
    pub fn compared(figure: &str, ours: &Sample, raw: &Sample) -> Self {
        Self([
            figure.to_owned(),
            ours.show(),
            raw.show(),
            ratio(ours, raw.mean()),
        ])
    }

    /// Counted, compared with the least possible number.
    pub fn counted(figure: &str, ours: &Sample, least: f64) -> Self {
        Self([
            figure.to_owned(),
            ours.show(),
            format!("least {}", number(least)),
            ratio(ours, least),
        ])
    }

    /// Compared with the goal, if there is one.
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

    /// Measured several times, compared with the goal.
    pub fn sought(figure: &str, ours: &Sample, goal: f64) -> Self {
        let (shown, goal_shown) = (ours.show(), number(goal));
        Self([figure.to_owned(), shown, goal_shown, ratio(ours, goal)])
    }

    /// Both values, where a ratio has no meaning.
    pub fn beside(figure: &str, ours: &Sample, other: &Sample) -> Self {
        Self([figure.to_owned(), ours.show(), other.show(), String::new()])
    }

    /// Without a comparison.
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
