//! The event about a flip of condition `SchedulerTopologyDrift`.

use api::conditions::{self, ConditionType};
use api::events;
use domain::plan::Event;
use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;

/// A flip is reported for this long. API servers remember an event for longer, so an operator that
/// starts within that time cannot report the flip twice, and later ones do not report it again.
const REPORTED_FOR: SignedDuration = SignedDuration::from_mins(30);

/// One event for each flip that is stored: a state that was over before it was stored is in no
/// status and in no event.
pub(crate) fn find_flip(snapshot: &Snapshot, now: Timestamp) -> Option<Event> {
    let stored = snapshot.binding.status.as_ref()?;
    let drift = conditions::find(&stored.conditions, ConditionType::SchedulerTopologyDrift)?;
    let since = drift.last_transition_time.0;
    if now.duration_since(since) >= REPORTED_FOR {
        return None;
    }
    let event = if drift.status == "False" {
        Event::normal(events::TOPOLOGY_IN_SYNC, drift.message.clone())
    } else {
        Event::warning(events::TOPOLOGY_DRIFT, drift.message.clone())
    };
    Some(event.once(format!("{}/{since}", drift.status)))
}
