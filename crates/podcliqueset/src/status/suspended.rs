//! Condition `Suspended` of a set that is suspended: since when, or for which pods its resume waits.

use api::PodCliqueSetStatus;
use domain::health::suspension;
use domain::roster::Roster;
use jiff::Timestamp;

use crate::last_pods;
use crate::observe::Snapshot;

/// Puts the present message into the stored condition. Only a decision of its own changes the status of
/// the condition.
pub(super) fn set_suspended(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    if !snapshot.is_suspended() {
        return;
    }
    let message = if snapshot.stored.spec.suspend {
        suspension::describe(next)
    } else {
        explain_wait(snapshot, roster, now)
    };
    let generation = snapshot.stored.metadata.generation;
    suspension::report(next, message, generation, now);
}

fn explain_wait(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> String {
    let pods = last_pods::count_suspended(snapshot, roster, now);
    if pods > 0 {
        return format!("resuming: {pods} pods are still ending");
    }
    match last_pods::find_unaware(roster) {
        Some(name) => format!("resuming: podclique {name} has not stored yet that it is suspended"),
        None => "resuming".to_owned(),
    }
}
