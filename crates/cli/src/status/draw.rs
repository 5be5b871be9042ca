//! A status as text.

use super::{InstallationStatus, Verdict};
use crate::output;

/// The column of the details.
const NAME: usize = 13;
const VERDICT: usize = 9;

/// A line for each part, and its remedy below it.
pub fn draw_status(status: &InstallationStatus) -> String {
    let mut text = String::new();
    for check in &status.checks {
        let (word, is_good) = match check.verdict {
            Verdict::Ok => ("ok", Some(true)),
            Verdict::Wrong => ("wrong", Some(false)),
            Verdict::Unknown => ("unknown", None),
        };
        let name = format!("{:<NAME$}", check.check);
        let gap = " ".repeat(VERDICT.saturating_sub(word.len()));
        let first = format!("{name}{}{gap}", output::of_state(word, is_good));
        text.push_str(&output::indent(&first, &check.details));
        if let Some(remedy) = &check.remedy {
            let margin = " ".repeat(NAME + VERDICT);
            text.push_str(&output::indent(&margin, remedy));
        }
    }
    text
}
