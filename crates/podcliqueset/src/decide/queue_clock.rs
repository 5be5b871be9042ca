//! The clock of a job stands still while no gang of it has quota (docs/queues.md, decision 177), like that
//! of a suspended job. Begin and end are status writes of their own.
//!
//! A gang that has done its work keeps condition `QuotaReserved` as it was (decision 183). It runs nothing, so
//! it does not count: the others may wait for hours.

use api::{PodCliqueSetStatus, PodGang};
use domain::health::{suspension, training};
use domain::roster::{ObservedClique, Roster, Slot};
use domain::scheduling::quota;
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The status that stops the clock or lets it go on.
pub(super) fn judge(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<PodCliqueSetStatus> {
    let stored = snapshot.stored.status.as_ref()?;
    if !snapshot.is_training() || suspension::is_stored(stored) || training::is_over(Some(stored)) {
        return None;
    }
    let has_started = stored.start_time.is_some();
    let stands_still = suspension::since(stored).is_some();
    let stops = snapshot.scheduler.is_queued && has_started && waits_as_a_whole(snapshot, roster);
    let mut next = status.clone();
    match (stops, stands_still) {
        (true, false) => suspension::stop_clock(&mut next, now),
        (false, true) => suspension::restart_clock(&mut next, now),
        _ => return None,
    }
    Some(next)
}

/// Whether some gangs have work to do, and each of them waits for quota.
fn waits_as_a_whole(snapshot: &Snapshot, roster: &Roster<'_>) -> bool {
    let gangs = snapshot.children.gangs.iter();
    let mut working = gangs
        .filter(|gang| !has_done_its_work(roster, gang))
        .peekable();
    working.peek().is_some() && working.all(|gang| quota::is_held(gang))
}

/// Whether the gang lists parts, and the work of all of them is done.
fn has_done_its_work(roster: &Roster<'_>, gang: &PodGang) -> bool {
    let parts = &gang.spec.pod_groups;
    let is_done = |podclique: &str| match roster.slot_named(podclique) {
        Slot::Done => true,
        slot => slot.present().is_some_and(ObservedClique::is_done),
    };
    !parts.is_empty() && parts.iter().all(|part| is_done(&part.name))
}
