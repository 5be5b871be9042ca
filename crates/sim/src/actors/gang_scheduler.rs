//! Schedulers that place gangs as a whole: by the marks that pods bear and by the minimums that their
//! PodGroups ask for.

mod kai;
mod kubernetes;
mod volcano;

use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;
pub use kubernetes::let_groups_go;

/// Whether the scheduler that the pod names is to place it: all that has to be placed with it is
/// there.
pub(super) fn may_be_placed(store: &Store, pod: &Value) -> bool {
    match scheduler_of(pod) {
        "kai-scheduler" => kai::may_be_placed(store, pod),
        "volcano" => volcano::may_be_placed(store, pod),
        _ => kubernetes::may_be_placed(store, pod),
    }
}

fn scheduler_of(pod: &Value) -> &str {
    view::text(pod, "/spec/schedulerName")
}

/// The object of that name beside the pod.
fn beside(pod: &Value, resource: Resource, name: &str) -> Id {
    let mut id = Id::new(resource, name);
    view::namespace(pod).clone_into(&mut id.namespace);
    id
}

/// Pods that the scheduler of this one has, or may have, on nodes.
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

/// How many there are, to compare with what is asked for.
fn count<T>(all: impl Iterator<Item = T>) -> i64 {
    i64::try_from(all.count()).unwrap_or(i64::MAX)
}
