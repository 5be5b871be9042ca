//! Gangs in queues at rest, with enough quota for all: as much is reserved as is used.

use serde_json::Value;

use super::{Resource, Store, is_rooted, view};
use crate::queue;

/// The errors in gangs of sets that name a queue, and in their Workloads. A gang that runs outside the
/// quota was created anew by somebody, with its list.
pub(super) fn problems(store: &Store) -> Vec<String> {
    let gangs = store.all(Resource::PodGang);
    let queued = gangs.filter(|(id, gang)| queue::is_queued(gang) && is_rooted(store, id));
    let workloads = store.all(Resource::KueueWorkload);
    let lacks_quota =
        |workload: &Value| !queue::is_admitted(workload) && !queue::is_finished(workload);
    let without = workloads.filter(|(_, workload)| lacks_quota(workload));
    queued
        .filter_map(|(_, gang)| wrong_quota(store, gang))
        .chain(without.map(|(id, _)| format!("{id} has no quota")))
        .collect()
}

fn wrong_quota(store: &Store, gang: &Value) -> Option<String> {
    let name = view::name(gang);
    let is_user = |pod: &Value| {
        let is_member = view::label(pod, api::labels::POD_GANG) == name;
        is_member && view::is_live(pod) && !view::has_ended(pod)
    };
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_user(pod));
    let used = i64::try_from(pods.count()).unwrap_or(i64::MAX);
    let granted = queue::granted_in_all(gang);
    let is_own = |workload: &Value| view::owner(workload).is_some_and(|o| o.2 == view::uid(gang));
    let workloads = store.all(Resource::KueueWorkload);
    let own = workloads.filter(|(_, workload)| is_own(workload));
    let own: Vec<&Value> = own.map(|(_, workload)| &**workload).collect();
    let held: i64 = own.iter().map(|workload| queue::held_by(workload)).sum();
    // Kueue takes the quota of a Workload that is over; the status keeps what it was.
    let is_over = own.iter().any(|workload| queue::is_finished(workload));
    let is_right = used == held && (is_over || used == granted);
    (!is_right).then(|| {
        format!("{name}: {used} pods, quota for {granted} by its status, for {held} by Workloads")
    })
}
