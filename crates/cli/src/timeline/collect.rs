//! The history in objects and events.

mod attempts;
mod conditions;
mod created;
mod events;
mod restarts;
mod scaled;
mod updates;

use k8s_openapi::api::core::v1::Event;

use super::merge;
use super::moment::Moment;
use crate::workload::Workload;

pub use events::Names;

/// The history of the set, in order of time.
pub fn collect_moments(workload: &Workload, events: &[Event]) -> Vec<Moment> {
    let created = created::of_objects(workload);
    let mut known = created.clone();
    known.extend(scaled::of_objects(workload));
    known.extend(attempts::of_set(workload));
    known.extend(restarts::of_set(workload));
    known.extend(updates::of_objects(workload));
    known.extend(conditions::of_objects(workload, events));
    let told = events::of_events(workload, events);
    let new = merge::drop_known(told, &known, &created);
    merge::merge(known.into_iter().chain(new).collect())
}
