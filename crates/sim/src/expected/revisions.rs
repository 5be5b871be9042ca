//! The ControllerRevisions of a set at rest (I52).

use std::collections::BTreeSet;

use serde_json::Value;

use super::updates::keeps_old_pods;
use crate::check::units::has_partitions;
use crate::check::updates::is_paused;
use crate::resource::Resource;
use crate::store::Store;
use crate::view;

/// Revisions that may stay beside the accepted one and those in force, as nothing is updated at rest.
const KEPT: usize = 3;

/// The errors in the revisions of a set.
pub(super) fn problems(store: &Store, set: &Value) -> Vec<String> {
    let name = view::name(set);
    let own = revisions_of(store, set);
    let current = view::text(set, "/status/currentRevision");
    let number = |revision: &&Value| view::number(revision, "/revision");
    let mut problems = Vec::new();
    let found = own.iter().find(|revision| view::name(revision) == current);
    // A template that was edited before its revision was made leaves none, and a pause keeps the next
    // one from being accepted.
    let has_accepted = !view::text(set, "/status/currentGenerationHash").is_empty();
    if found.is_none() && has_accepted && !(current.is_empty() && is_paused(set)) {
        problems.push(format!("{name} has no revision {current:?}"));
    }
    if keeps_old_pods(set) {
        return problems;
    }
    if own.iter().map(number).max() > found.map(number) {
        problems.push(format!("{name}: revision {current} is not the newest"));
    }
    let in_force = names_in_force(set);
    if own.len() > KEPT + 1 + in_force.len() {
        problems.push(format!("{name} has {} revisions", own.len()));
    }
    let runs = view::text(set, "/status/updateProgress/updateEndedAt").is_empty();
    if !(in_force.is_empty() || runs && has_partitions(set)) {
        problems.push(format!(
            "{name} keeps older revisions in force: {in_force:?}"
        ));
    }
    problems
}

/// The revisions that the status names for replicas, and for older units of them.
fn names_in_force(set: &Value) -> BTreeSet<&str> {
    view::list(set, "/status/replicaRevisions")
        .flat_map(|entry| [&entry["revision"], &entry["older"]])
        .filter_map(Value::as_str)
        .collect()
}

fn revisions_of<'a>(store: &'a Store, set: &Value) -> Vec<&'a Value> {
    let uid = view::uid(set);
    let all = store.all(Resource::ControllerRevision);
    all.map(|(_, revision)| &**revision)
        .filter(|revision| view::owner(revision).is_some_and(|(_, _, owner)| owner == uid))
        .collect()
}
