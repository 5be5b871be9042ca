//! The indexes that stay vacant in the turn, as they are stored (docs/semantics.md §14.4, decision 168):
//! cliques and groups act on the stored ones.

use api::PodCliqueSetStatus;
use api::podcliqueset::{PcsUpdateProgress, VacantIndexes};
use domain::roster::Roster;
use jiff::Timestamp;

use super::turn_of;
use crate::observe::Snapshot;
use crate::rollout::{self, NamedComponent, Newest};

/// Stores which indexes stay vacant from now on. They are stored with the turn that begins, so before
/// anything is deleted in it.
pub(super) fn hold_vacant(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let turn = turn_of(next, snapshot, newest, roster, now);
    let turn = turn.filter(|_| !snapshot.view.is_outdated);
    let Some(components) = turn.map(|turn| turn.components()) else {
        return;
    };
    let all = rollout::next_vacancies(&components).map(|(component, indexes)| VacantIndexes {
        component: component.name.clone(),
        indexes,
    });
    let holds_vacant = all.collect();
    let progress = next.update_progress.as_mut();
    if let Some(turn) = progress.and_then(|progress| progress.currently_updating.first_mut()) {
        turn.holds_vacant = holds_vacant;
    }
}

/// While the API server refuses the newest template nothing is replaced, maybe for days.
pub(super) fn release_all(progress: &mut PcsUpdateProgress) {
    for turn in &mut progress.currently_updating {
        turn.holds_vacant.clear();
    }
}

/// The units that wait until the others are updated, if some do.
pub(super) fn explain_vacancies(component: &NamedComponent) -> Option<String> {
    let (held, numbers) = (&component.vacancies.held, &component.numbers);
    let vacant = component.units.vacant.iter();
    let vacant: Vec<&i32> = vacant.filter(|index| held.contains(index)).collect();
    let (name, last) = (&component.name, vacant.last()?);
    let subject = match vacant.len() {
        1 => format!("{name}-{last} waits"),
        count => format!("{count} units of {name} wait"),
    };
    let (desired, room) = (
        numbers.desired,
        numbers.desired.saturating_sub(numbers.held),
    );
    Some(format!(
        "{subject} until the other parts are updated: room for {room} of {desired}"
    ))
}
