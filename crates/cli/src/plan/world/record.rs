//! The writes of a controller.

use std::sync::Arc;

use domain::plan::Purpose;
use serde_json::{Value, json};

use super::{Id, Stored, World};
use crate::json;

/// The verb of the write of a status.
const STATUS: &str = "status";
/// Where a set, a group or a PodClique reports the progress of its update.
const PROGRESS: &str = "/status/updateProgress";

/// One write of a controller.
#[derive(Clone, Debug)]
pub struct Record {
    /// Number of the decision that planned it.
    pub decision: usize,
    /// The verb of the action (`domain::plan::Action::verb`), or `status`.
    pub verb: &'static str,
    /// Its purpose, if the verb does not show it.
    pub purpose: Option<Purpose>,
    /// Which object.
    pub id: Id,
    /// The object before the write; `None` if it is new.
    pub before: Option<Stored>,
    /// The object after the write; `None` if it was deleted.
    pub after: Option<Stored>,
}

impl Record {
    /// The progress of an update after the write of a status; `None` after any other write.
    pub fn progress(&self) -> Option<&Value> {
        let after = self.after.as_ref().filter(|_| self.verb == STATUS)?;
        Some(json::at(after, PROGRESS))
    }
}

impl World {
    /// Keeps the progress of an update that an object from the cluster has stored: in the middle of
    /// a turn the controllers replace units by it before they write any status.
    pub(super) fn keep_found_progress(&mut self, id: &Id, object: &Value) {
        let progress = json::at(object, PROGRESS);
        if !progress.is_null() {
            self.found_progress.push((id.clone(), progress.clone()));
        }
    }

    /// Records the write of a status if it changed the progress of an update, with that progress
    /// only.
    pub(super) fn note_progress(&mut self, id: &Id, before: &Stored) {
        let Some(after) = self.get(id) else {
            return;
        };
        let (before, after) = (json::at(before, PROGRESS), json::at(after, PROGRESS));
        if before == after {
            return;
        }
        let short = |progress: &Value| Arc::new(json!({"status": {"updateProgress": progress}}));
        let record = Record {
            decision: self.decisions,
            verb: STATUS,
            purpose: None,
            id: id.clone(),
            before: Some(short(before)),
            after: Some(short(after)),
        };
        self.log.push(record);
    }
}

/// The object without lists of pods, and without the nodes on which these may be placed: a gang is
/// written once for each replaced pod.
pub(super) fn shorten(object: &Stored) -> Stored {
    if json::at(object, "/spec/podgroups").is_null() {
        return object.clone();
    }
    let mut short = Value::clone(object);
    for group in json::items_mut(&mut short, "/spec/podgroups") {
        json::remove(group, "", "podReferences");
        json::remove(group, "", "placements");
    }
    Arc::new(short)
}
