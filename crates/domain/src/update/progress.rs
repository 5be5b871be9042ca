//! Condition `UpdateInProgress`, and since when an update stands still (docs/semantics.md §14.6).

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::RollingUpdate;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// How far an update has come: both numbers only rise while it goes on well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// What has the newest template.
    pub updated: i32,
    /// What of that is Ready.
    pub ready: i32,
}

impl Advance {
    /// When it last came on: now, if either number rose. A pod that crashes and comes back does not
    /// hold up what is reported.
    pub fn last_progress(self, before: Self, stored: Option<&Time>, now: Timestamp) -> Time {
        let has_risen = self.updated > before.updated || self.ready > before.ready;
        match stored {
            Some(stored) if !has_risen => stored.clone(),
            _ => Time(now),
        }
    }
}

/// An update that had ended goes on: it was nobody's turn then, as with `OnDelete`, or a pod is down
/// that was Ready. The time that it may stand still begins anew.
pub fn resume(ended_at: &mut Option<Time>, last_progress: &mut Option<Time>, now: Timestamp) {
    if ended_at.take().is_some() {
        *last_progress = Some(Time(now));
    }
}

/// When it is reported that the update makes no progress, if it has a deadline. One that makes no
/// sense counts as none.
pub fn deadline_at(rolling: Option<&RollingUpdate>, last: Option<&Time>) -> Option<Timestamp> {
    let given = rolling?.progress_deadline.as_ref()?;
    let deadline = given.parse().ok().filter(SignedDuration::is_positive)?;
    last?.0.checked_add(deadline).ok()
}

/// What is reported of an update that runs; `tally` says how far it is.
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

/// What is reported where no update runs.
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
