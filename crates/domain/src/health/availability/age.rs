//! Since when something is breached. A crash loop is one breach (docs/semantics.md §2.5): a
//! container without a readiness probe is Ready for seconds between two crashes, and a timer that
//! started again each time would never end.
//!
//! ```text
//! MinAvailableBreached  ┌─True, 4 s─┐False, 46 s┌─True
//! breachedSince         0───────────────────────46       goes on: the False was short, and its
//!                                                        pods' containers terminate
//! ```
//!
//! Only time that it was down counts: the stored time moves by the length of each pause.

use api::conditions::{self, ConditionType, Status};
use api::{PodCliqueScalingGroupStatus, PodCliqueStatus};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Longer than this no breach is remembered that has ended, however long one may last.
const MAX_MEMORY: SignedDuration = SignedDuration::from_secs(60);

/// For how long a breach that has ended may come back as the same one. Without a delay nothing is
/// terminated, and at delay 0 at once: there is nothing to remember.
pub fn memory(delay: Option<SignedDuration>) -> SignedDuration {
    delay.unwrap_or_default().min(MAX_MEMORY)
}

/// What is stored of a breach.
#[derive(Clone, Copy, Debug)]
pub struct StoredBreach<'a> {
    /// `status.conditions`.
    pub conditions: &'a [Condition],
    /// `status.breachedSince`.
    pub since: Option<&'a Time>,
}

/// A breach that has ended and is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When it began.
    pub since: Timestamp,
    /// When it ended.
    pub until: Timestamp,
}

impl Ended {
    /// Its beginning, later by the time since its end: so a breach that returns is as old as it was.
    fn moved_to(self, now: Timestamp) -> Timestamp {
        let pause = now.duration_since(self.until);
        let moved = self.since.checked_add(pause).unwrap_or(now);
        moved.min(now)
    }
}

impl<'a> From<&'a PodCliqueStatus> for StoredBreach<'a> {
    fn from(status: &'a PodCliqueStatus) -> Self {
        Self {
            conditions: &status.conditions,
            since: status.breached_since.as_ref(),
        }
    }
}

impl<'a> From<&'a PodCliqueScalingGroupStatus> for StoredBreach<'a> {
    fn from(status: &'a PodCliqueScalingGroupStatus) -> Self {
        Self {
            conditions: &status.conditions,
            since: status.breached_since.as_ref(),
        }
    }
}

impl StoredBreach<'_> {
    /// Since when the object is breached, if it is. Objects that were stored before there was
    /// `breachedSince` have the time of the condition only.
    pub fn since(self) -> Option<Timestamp> {
        let (status, flipped) = self.condition()?;
        let since = self.since.map_or(flipped, |since| since.0);
        (status == Status::True).then_some(since)
    }

    /// The breach before, while it is remembered.
    pub fn ended(self) -> Option<Ended> {
        let (status, until) = self.condition()?;
        let since = self.since?.0;
        (status == Status::False).then_some(Ended { since, until })
    }

    /// When the breach that has ended is forgotten, if one is remembered now.
    pub fn forgotten_at(self, memory: SignedDuration, now: Timestamp) -> Option<Timestamp> {
        let at = self.ended()?.until.checked_add(memory).ok()?;
        (at > now).then_some(at)
    }

    /// `breachedSince` as it becomes with this status of the condition. `resume` returns the earliest
    /// time from which a breach that returns may count as the one that ended, if it is that one.
    pub fn next(
        self,
        status: Status,
        memory: SignedDuration,
        now: Timestamp,
        resume: impl FnOnce(Ended) -> Option<Timestamp>,
    ) -> Option<Time> {
        let is_remembered = |at: Timestamp| now.duration_since(at) < memory;
        let since = match (status, self.since()) {
            // What an update brings has no past.
            (Status::Unknown, _) => None,
            (Status::True, Some(since)) => Some(since),
            (Status::True, None) => {
                let ended = self.ended().filter(|e| is_remembered(e.until));
                let same = ended.and_then(|e| Some(e.moved_to(now).max(resume(e)?)));
                Some(same.unwrap_or(now))
            }
            (Status::False, Some(since)) => Some(since).filter(|_| memory.is_positive()),
            (Status::False, None) => {
                let ended = self.ended().filter(|e| is_remembered(e.until));
                ended.map(|e| e.since)
            }
        };
        since.map(Time)
    }

    fn condition(self) -> Option<(Status, Timestamp)> {
        let breach = conditions::find(self.conditions, ConditionType::MinAvailableBreached)?;
        let status = match breach.status.as_str() {
            "True" => Status::True,
            "False" => Status::False,
            _ => Status::Unknown,
        };
        Some((status, breach.last_transition_time.0))
    }
}
