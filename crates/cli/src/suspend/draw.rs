//! The outcome, as text.

use super::Outcome;
use crate::output;

/// What changed, and how to go on.
pub fn draw_outcome(outcome: &Outcome) -> String {
    let set = &outcome.set;
    let what = if outcome.suspend {
        "suspended: its unfinished pods are deleted"
    } else {
        "resumed: its gangs start again, each as a whole"
    };
    if outcome.is_unchanged {
        return format!(
            "podcliqueset {set}: spec.suspend is {} already\n",
            outcome.suspend
        );
    }
    let next = if outcome.is_dry_run {
        "dry run: nothing was changed".to_owned()
    } else if outcome.suspend {
        format!("`kubectl grove resume {set}` lets it run again")
    } else {
        format!("`kubectl grove tree {set}` shows its start")
    };
    format!("podcliqueset {set} {what}\n{}", output::indent("", &next))
}
