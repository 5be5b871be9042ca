//! Event `PodCliqueFailed` of a training job (docs/semantics.md §13.2), on the set, where the user looks.

use api::conditions::{self, ConditionType};
use api::{PodClique, events};

use super::availability::StoredBreach;
use crate::object::ownership;
use crate::plan::{Event, Target};

/// The event of the breach that the PodClique has stored, if it has one. The PodClique posts it at
/// once, and its set when the job is given up; both have the same name, so it is one event.
pub fn podclique_failed_event(podclique: &PodClique, set: Target) -> Option<Event> {
    let status = podclique.status.as_ref()?;
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached)?;
    // A crash loop is one breach and has one event.
    let since = StoredBreach::from(status).since()?;
    let meta = &podclique.metadata;
    let message = format!("PodClique {}: {}", ownership::name(meta), breach.message);
    let identity = format!("{}/{since}", ownership::uid(meta));
    let note = Event::warning(events::PODCLIQUE_FAILED, message);
    Some(note.once(identity).about(set))
}
