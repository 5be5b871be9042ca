//! I15: a replica is terminated only if it lacked pods at the time of the decision: a stored
//! condition alone is not enough.

use api::labels;
use serde_json::Value;

use super::window::Window;
use super::{OPERATOR, failures};
use crate::resource::Resource;
use crate::store::{Record, Stored};
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
    parts
        .iter()
        .filter(|part| !is_deleted_by_us(window, part))
        .any(|part| is_short(window, part))
}

/// A deletion by the operator itself, for a group that is scaled in, is no failure while it ends.
fn is_deleted_by_us(window: &Window<'_>, podclique: &Value) -> bool {
    let log = window.store.log.get(..window.position).unwrap_or_default();
    let is_it = |r: &&Record| {
        r.before
            .as_ref()
            .is_some_and(|b| view::uid(b) == view::uid(podclique))
    };
    let mut deletions = log.iter().filter(is_it).filter(|r| {
        let stays = |o: &Stored| !view::is_terminating(o);
        r.before.as_ref().is_some_and(stays) && !r.after.as_ref().is_some_and(stays)
    });
    view::is_terminating(podclique) && deletions.any(|r| r.actor == OPERATOR)
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
