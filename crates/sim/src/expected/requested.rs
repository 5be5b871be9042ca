//! Restarts on demand in a cluster at rest: none waits (decision 182).

use serde_json::Value;

use super::view;

/// A request for a replica that the set has was answered.
pub(super) fn problems(set: &Value) -> Option<String> {
    let (replica, attempt) = view::asked_restart(set)?;
    let is_there = (0..view::number(set, "/spec/replicas")).contains(&replica);
    let waits = is_there && view::attempt(set, replica) == attempt && !view::is_terminating(set);
    waits.then(|| {
        format!(
            "{}: the restart of replica {replica} waits",
            view::name(set)
        )
    })
}
