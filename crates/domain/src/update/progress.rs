//! Condition `UpdateInProgress`, and when an update stopped advancing (docs/semantics.md §14.6).

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::RollingUpdate;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// An update without a deadline that makes no progress for this long is reported all the same.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// How far an update has come: both numbers only rise while it advances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// The number of members with the newest template.
    pub updated: i32,
    /// The number of these that are Ready.
    pub ready: i32,
}

impl Advance {
    /// When it last advanced: now, if either number rose. A pod that crashes and comes back does
    /// not delay the report.
    pub fn last_progress(self, before: Self, stored: Option<&Time>, now: Timestamp) -> Time {
        let has_risen = self.updated > before.updated || self.ready > before.ready;
        match stored {
            Some(stored) if !has_risen => stored.clone(),
            _ => Time(now),
        }
    }
}

/// Continues an update that had ended: no replica had the turn meanwhile, as with `OnDelete`, or a
/// pod that was Ready is down. Or it did not run by the stored condition: it rested, or a pause had taken
/// the turn away. The deadline for progress starts again.
pub fn resume(
    ended_at: &mut Option<Time>,
    last_progress: &mut Option<Time>,
    stored: &[Condition],
    now: Timestamp,
) {
    let had_ended = ended_at.take().is_some();
    let update = conditions::find(stored, ConditionType::UpdateInProgress);
    if had_ended || update.is_some_and(|update| update.status == "False") {
        *last_progress = Some(Time(now));
    }
}

/// When the update is reported to make no progress, if it has a deadline. An invalid deadline
/// counts as none.
pub fn deadline_at(rolling: Option<&RollingUpdate>, last: Option<&Time>) -> Option<Timestamp> {
    let deadline = deadline_of(rolling?)?;
    last?.0.checked_add(deadline).ok()
}

/// When an update that last advanced then stands still, by the limits of the cliques and groups that are
/// not done. None if one of them has a deadline, which overrules the ten minutes (decision 170). New units
/// have to be Ready for `minReadySeconds` before they count, so that is added.
pub fn stands_at<'a>(
    left: impl IntoIterator<Item = Option<&'a RollingUpdate>>,
    last: Timestamp,
) -> Option<Timestamp> {
    let left: Vec<&RollingUpdate> = left.into_iter().flatten().collect();
    if left.iter().any(|rolling| deadline_of(rolling).is_some()) {
        return None;
    }
    let given = left.iter().filter_map(|rolling| rolling.min_ready_seconds);
    let min_ready = SignedDuration::from_secs(given.max().unwrap_or(0).max(0).into());
    last.checked_add(PATIENCE.saturating_add(min_ready)).ok()
}

fn deadline_of(rolling: &RollingUpdate) -> Option<SignedDuration> {
    let given = rolling.progress_deadline.as_ref()?;
    given.parse().ok().filter(SignedDuration::is_positive)
}

/// The report on an update that runs; `tally` has its numbers.
pub fn verdict(tally: &str, deadline: Option<Timestamp>, now: Timestamp) -> ConditionUpdate {
    let is_late = deadline.is_some_and(|at| at <= now);
    let (status, reason, message) = if is_late {
        let message = format!("no progress within progressDeadline: {tally}");
        (Status::Unknown, Reason::ProgressDeadlineExceeded, message)
    } else {
        (Status::True, Reason::Progressing, tally.to_owned())
    };
    update(status, reason, message)
}

/// The report if no update runs.
pub fn no_update() -> ConditionUpdate {
    let message = "no update runs".to_owned();
    update(Status::False, Reason::NoActiveUpdate, message)
}

fn update(status: Status, reason: Reason, message: String) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason,
        message,
    }
}
