//! Schedulers that place gangs as a whole: by the marks of pods and by the minimums of their
//! PodGroups.

mod kai;
mod kubernetes;
mod volcano;

use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;
pub use kubernetes::let_groups_go;

/// Whether the scheduler that the pod names may place it: all pods that have to be placed with it
/// exist.
pub fn may_be_placed(store: &Store, pod: &Value) -> bool {
    match scheduler_of(pod) {
        "kai-scheduler" => kai::may_be_placed(store, pod),
        "volcano" => volcano::may_be_placed(store, pod),
        _ => kubernetes::may_be_placed(store, pod),
    }
}

fn scheduler_of(pod: &Value) -> &str {
    view::text(pod, "/spec/schedulerName")
}

/// The object of that name in the pod's namespace.
fn beside(pod: &Value, resource: Resource, name: &str) -> Id {
    let mut id = Id::new(resource, name);
    view::namespace(pod).clone_into(&mut id.namespace);
    id
}

/// Pods of the same scheduler that have a node, or may get one.
fn peers<'a>(store: &'a Store, pod: &'a Value) -> impl Iterator<Item = &'a Value> {
    let pods = store.all(Resource::Pod).map(|(_, other)| &**other);
    pods.filter(move |other| {
        let is_beside = view::namespace(other) == view::namespace(pod);
        is_beside && scheduler_of(other) == scheduler_of(pod) && counts(other)
    })
}

fn counts(pod: &Value) -> bool {
    view::is_live(pod) && view::gates(pod).is_empty()
}

/// The number of items, for a comparison with a minimum.
fn count<T>(all: impl Iterator<Item = T>) -> i64 {
    i64::try_from(all.count()).unwrap_or(i64::MAX)
}
