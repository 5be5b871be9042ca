//! A suspended set at rest: it has no unfinished pod, and says so.

use serde_json::Value;

use super::{Resource, Store, is_rooted, ready, view};

/// Whether the user has suspended the set; a job that is over stays as it is.
pub(super) fn is_meant(set: &Value) -> bool {
    view::at(set, "/spec/suspend") == Some(&Value::Bool(true)) && !view::is_over(set)
}

/// The errors in a suspended set.
pub(super) fn problems(store: &Store, set: &Value) -> Vec<String> {
    let mut problems = Vec::from_iter(ready::suspended(set));
    let is_own = |pod: &Value| view::set_of(pod) == view::name(set);
    let pods = store.all(Resource::Pod);
    let left = pods.filter(|(id, pod)| is_own(pod) && view::is_live(pod) && is_rooted(store, id));
    problems.extend(left.map(|(id, _)| format!("{id} runs, and its set is suspended")));
    problems
}
