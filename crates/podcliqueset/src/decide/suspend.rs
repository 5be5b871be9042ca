//! Suspend and resume (docs/semantics.md §15.1, decision 173). Each is a status write of its own: the
//! controllers of PodCliques, groups and PodGangs read the stored condition, never the spec.
//!
//! A set is resumed once every PodClique has stored that it starts like a new one, and once no pod that
//! the suspension deletes is left or may exist unseen: a controller that never saw the condition would
//! keep old workers beside a new leader.

use api::{PodCliqueSetStatus, events};
use domain::health::{suspension, training};
use domain::object::ownership;
use domain::plan::Event;
use domain::roster::Roster;
use jiff::Timestamp;

use crate::last_pods;
use crate::observe::Snapshot;
use crate::status;

/// The status that begins or ends a suspension, with its event. Nothing is decided while the view may be
/// outdated: healthy pods are deleted because of it.
pub(super) fn judge(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<(PodCliqueSetStatus, Event)> {
    let stored = snapshot.stored.status.as_ref();
    let may_act = snapshot.validated.may_act() && !snapshot.view.is_outdated;
    if !may_act || training::is_over(stored) {
        return None;
    }
    let is_asked_for = snapshot.stored.spec.suspend;
    match (is_asked_for, stored.is_some_and(suspension::is_stored)) {
        (true, false) => Some(begin(snapshot, roster, status, now)),
        (false, true) => {
            let may_end = is_at_rest(snapshot, roster, now);
            may_end.then(|| end(snapshot, status, now))
        }
        _ => None,
    }
}

fn is_at_rest(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> bool {
    !snapshot.view.may_have_more_pods
        && last_pods::find_unaware(roster).is_none()
        && last_pods::next_suspended_end(snapshot, roster, now).is_none()
}

/// When a set that is to be resumed has to be looked at again.
pub(super) fn next_end(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    let waits = snapshot.is_suspended() && !snapshot.stored.spec.suspend;
    if !waits {
        return None;
    }
    let end = last_pods::next_suspended_end(snapshot, roster, now);
    end.filter(|at| *at < Timestamp::MAX)
}

/// The turn of an update ends with the same write: what it has replaced shows only while the pods exist.
fn begin(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> (PodCliqueSetStatus, Event) {
    let meta = &snapshot.stored.metadata;
    let mut next = status.clone();
    status::end_turn_of_update(&mut next, snapshot, roster, now);
    suspension::begin(&mut next, meta.generation, now);
    let identity = format!(
        "{}/{}",
        ownership::uid(meta),
        meta.generation.unwrap_or_default()
    );
    let text = "spec.suspend is true: all unfinished pods are deleted, and none is created";
    (next, Event::normal(events::SUSPENDED, text).once(identity))
}

fn end(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> (PodCliqueSetStatus, Event) {
    let meta = &snapshot.stored.metadata;
    let since = suspension::since(status);
    let mut next = status.clone();
    suspension::end(&mut next, meta.generation, now);
    let since = since.map_or(String::new(), |since| format!("{since:.0}"));
    let text = format!("suspended since {since}: all its gangs start again, each as a whole");
    let identity = format!("{}/{since}", ownership::uid(meta));
    (next, Event::normal(events::RESUMED, text).once(identity))
}
