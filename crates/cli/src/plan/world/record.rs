//! The writes of a controller.

use std::sync::Arc;

use domain::plan::Purpose;
use serde_json::Value;

use super::{Id, Stored};
use crate::json;

/// One write of a controller.
#[derive(Clone, Debug)]
pub struct Record {
    /// Number of the decision that planned it.
    pub decision: usize,
    /// The verb of the action (`domain::plan::Action::verb`).
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

/// The object without lists of pods: a gang is written once for each replaced pod.
pub(super) fn shorten(object: &Stored) -> Stored {
    if json::at(object, "/spec/podgroups").is_null() {
        return object.clone();
    }
    let mut short = Value::clone(object);
    for group in json::items_mut(&mut short, "/spec/podgroups") {
        json::remove(group, "", "podReferences");
    }
    Arc::new(short)
}
