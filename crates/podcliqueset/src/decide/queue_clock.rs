//! The clock of a job stands still while no gang of it has quota (docs/queues.md, decision 177), like that
//! of a suspended job. Begin and end are status writes of their own.

use api::PodCliqueSetStatus;
use domain::health::{suspension, training};
use domain::scheduling::quota;
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The status that stops the clock or lets it go on.
pub(super) fn judge(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<PodCliqueSetStatus> {
    let stored = snapshot.stored.status.as_ref()?;
    if !snapshot.is_training() || suspension::is_stored(stored) || training::is_over(Some(stored)) {
        return None;
    }
    let has_started = stored.start_time.is_some();
    let stands_still = suspension::since(stored).is_some();
    let stops = snapshot.scheduler.is_queued && has_started && waits_as_a_whole(snapshot);
    let mut next = status.clone();
    match (stops, stands_still) {
        (true, false) => suspension::stop_clock(&mut next, now),
        (false, true) => suspension::restart_clock(&mut next, now),
        _ => return None,
    }
    Some(next)
}

fn waits_as_a_whole(snapshot: &Snapshot) -> bool {
    let gangs = &snapshot.children.gangs;
    !gangs.is_empty() && gangs.iter().all(|gang| quota::is_held(gang))
}
