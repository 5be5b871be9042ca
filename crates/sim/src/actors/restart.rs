//! Users ask for the restart of one replica.

use api::labels::RESTART_REPLICA;
use serde_json::json;

use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// A user asks for the restart of any replica of any set that is no job. Returns whether there is one.
pub fn ask_for_restart(store: &mut Store, rng: &mut Rng) -> bool {
    let sets: Vec<Id> = store
        .all(Resource::PodCliqueSet)
        .filter(|(_, set)| !view::is_job(set) && !view::is_terminating(set))
        .filter(|(_, set)| view::number(set, "/spec/replicas") > 0)
        .map(|(id, _)| id.clone())
        .collect();
    let Some(id) = rng.pick(&sets) else {
        return false;
    };
    let Some(set) = store.get(id) else {
        return false;
    };
    let replica = rng.between(0, view::number(set, "/spec/replicas") - 1);
    let request = json!({"replica": replica, "attempt": view::attempt(set, replica)});
    write(store, id, &request.to_string());
    true
}

/// No webhook refuses it here.
fn write(store: &mut Store, set: &Id, request: &str) {
    let path = format!("{}/{}", set.resource.path(&set.namespace), set.name);
    let body = json!({"metadata": {"annotations": {RESTART_REPLICA: request}}});
    store.handle("user", &Call::merge(&path, body));
}
