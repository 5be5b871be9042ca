//! Users suspend sets and resume them, and decide how long a job is kept after its end.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// The set is suspended, or resumed if it is.
pub(super) fn toggle(store: &mut Store, set: &Id) {
    if let Some(found) = store.get(set) {
        let suspend = !is_asked_for(found);
        write(store, set, &json!({"suspend": suspend}));
    }
}

/// A job is kept for a time after its end, or for good.
pub(super) fn keep(store: &mut Store, rng: &mut Rng, set: &Id) {
    const TIMES: [Option<&str>; 4] = [None, Some("0s"), Some("5s"), Some("1m")];
    let time = rng.pick(&TIMES).copied().flatten();
    write(
        store,
        set,
        &json!({"trainingSpec": {"ttlAfterFinished": time}}),
    );
}

/// All sets are suspended that are not over. Returns whether there is one.
pub fn suspend_all(store: &mut Store) -> bool {
    let sets = sets_that(store, |set| {
        !view::is_over(set) && !view::is_terminating(set)
    });
    for set in &sets {
        write(store, set, &json!({"suspend": true}));
    }
    !sets.is_empty()
}

/// All sets are resumed.
pub fn resume_all(store: &mut Store) {
    for set in sets_that(store, is_asked_for) {
        write(store, &set, &json!({"suspend": false}));
    }
}

fn is_asked_for(set: &Value) -> bool {
    view::at(set, "/spec/suspend") == Some(&Value::Bool(true))
}

fn sets_that(store: &Store, claim: impl Fn(&Value) -> bool) -> Vec<Id> {
    store
        .all(Resource::PodCliqueSet)
        .filter(|(_, set)| claim(set))
        .map(|(id, _)| id.clone())
        .collect()
}

fn write(store: &mut Store, set: &Id, spec: &Value) {
    let path = format!("{}/{}", set.resource.path(&set.namespace), set.name);
    store.handle("user", &Call::merge(&path, json!({"spec": spec})));
}
