//! Replicas of the set that ran during its update and are away: no replica has the turn until they are
//! available again (docs/semantics.md §14.4, decision 157).

use api::PodCliqueSetStatus;
use domain::Pod;
use domain::health::suspension;
use domain::roster::Roster;
use domain::update;
use jiff::{SignedDuration, Timestamp};

use super::report::running;
use super::standstill::goes_on_since;
use super::trouble;
use crate::observe::Snapshot;
use crate::rollout;

/// A replica that lost a pod may load its model for minutes; an update that waits for longer stands.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// Why no replica has the turn.
pub(super) struct Absence {
    /// The number of those that are away, and the trouble of a pod of theirs.
    pub(super) text: String,
    /// When the update counts as one that stands. No turn begins while replicas are away, so this
    /// counts from the last step of the update, which is stored, and from the moment in which it went on.
    pub(super) stands_at: Timestamp,
}

/// The absence that an update waits for, if it does. A suspended set has no pods on purpose, and after
/// the resume they need their time to start.
pub(super) fn find_absence(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    next: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<Absence> {
    if suspension::is_stored(next) {
        return None;
    }
    let progress = running(next).filter(|p| p.currently_updating.is_empty())?;
    let reached = usize::try_from(progress.reached?).ok()?;
    let available = rollout::available_replicas(roster, now);
    let away = reached.saturating_sub(available.len());
    if away == 0 {
        return None;
    }
    let replicas = roster.layout.replicas.iter();
    let pods: Vec<&Pod> = replicas
        .filter(|replica| !available.contains(&replica.index))
        .flat_map(|replica| trouble::pods_of(roster, replica))
        .collect();
    let cause = update::explain_trouble(pods.into_iter(), now);
    let cause = cause.map_or(String::new(), |cause| format!(" ({cause})"));
    let began = progress.update_started_at.0;
    let resumed_at = suspension::resumed_at(Some(next));
    let steps = rollout::last_step(snapshot).into_iter().chain(resumed_at);
    let steps = steps.chain(goes_on_since(next, now));
    let last = steps.fold(began, Timestamp::max);
    Some(Absence {
        text: format!(
            "{away} of {reached} replicas that ran are down, or crashed in the last minute{cause}; the \
             next replica is updated when they are available again; if the new template is the cause, \
             correct it or put the old one back"
        ),
        stands_at: last.checked_add(PATIENCE).unwrap_or(Timestamp::MAX),
    })
}
