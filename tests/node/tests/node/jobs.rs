//! How jobs end: every combination of the exits of their containers.

mod cases;
mod ends;

use super::row::{Row, row};
use cases::cases;

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    let of = |case: ends::Case| {
        let name = format!("jobs::{}", case.name);
        let soak = case.in_soak_only;
        let row = row(&name, case.finding, move |ns| ends::as_it_should(ns, &case));
        if soak { row.of_soak() } else { row }
    };
    cases().into_iter().map(of).collect()
}
