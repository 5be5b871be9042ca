//! An undo, as text.

use super::Undone;
use crate::output;
use crate::plan::draw_difference;

/// The changed fields, and how to go on.
pub fn draw_undone(undone: &Undone) -> String {
    let (set, revision) = (&undone.set, undone.revision);
    let mut text = format!("podcliqueset {set}: back to the templates of revision {revision}\n");
    for difference in &undone.differences {
        text.push_str(&draw_difference(difference));
    }
    let next = match (undone.is_dry_run, undone.is_paused) {
        (true, _) => "dry run: nothing was changed".to_owned(),
        (false, true) => format!(
            "changed; the update waits, as spec.updateStrategy.paused is true: `kubectl grove unpause \
             {set}` lets it go on"
        ),
        (false, false) => format!("changed; `kubectl grove tree {set}` shows the update"),
    };
    text.push_str(&output::indent("", &next));
    text
}
