//! I15: a replica is terminated only if it lacked pods when that was decided: a stored condition
//! alone is not enough.

use api::labels;
use serde_json::Value;

use super::failures;
use super::window::Window;
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// Whether some part of the terminated replica may have been observed with fewer Ready pods than it
/// needs.
pub(super) fn is_possible(window: &Window<'_>, owner: &Value, replica: i64) -> bool {
    let is_group = view::text(owner, "/kind") == "PodCliqueScalingGroup";
    let is_part = |c: &Value| {
        if is_group {
            let index = view::label(c, labels::SCALING_GROUP_REPLICA_INDEX);
            view::owner(c).is_some_and(|o| o.2 == view::uid(owner)) && index.parse() == Ok(replica)
        } else {
            is_of_set(c, owner, replica)
        }
    };
    let parts = window.versions(Resource::PodClique, is_part);
    parts.iter().any(|part| is_short(window, part))
}

fn is_short(window: &Window<'_>, podclique: &Value) -> bool {
    let wanted = view::number(podclique, "/spec/replicas");
    let least = view::number(podclique, "/spec/minAvailable").min(wanted);
    let is_ready = |states: &Vec<&Stored>| states.iter().all(|pod| view::is_ready(pod));
    let pods = failures::steady_pods(window, view::uid(podclique));
    let ready = pods.values().filter(|states| is_ready(states)).count();
    i64::try_from(ready).unwrap_or(0) < least
}

/// Whether the child belongs to this replica of the set.
pub(super) fn is_of_set(child: &Value, set: &Value, replica: i64) -> bool {
    view::set_of(child) == view::name(set) && view::replica(child) == Some(replica)
}
