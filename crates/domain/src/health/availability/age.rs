//! When a breach began. A crash loop is one breach (docs/semantics.md §2.5): a container without a
//! readiness probe is Ready for seconds between two crashes, and a timer that started again each
//! time would never end.
//!
//! ```text
//! MinAvailableBreached  ┌─True, 4 s─┐False, 46 s┌─True
//! breachedSince         0───────────────────────46       goes on: the False was short, and its
//!                                                        pods' containers terminate
//! ```
//!
//! Only the time in the breach counts: each pause moves the stored time by its length.

use api::conditions::{self, ConditionType, Status};
use api::{PodCliqueScalingGroupStatus, PodCliqueStatus};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// A breach that has ended is remembered at most this long, whatever its delay.
const MAX_MEMORY: SignedDuration = SignedDuration::from_secs(60);

/// For how long a breach that has ended may return as the same breach. Without a delay no replica
/// is terminated, and with delay 0 it is terminated at once: then there is nothing to remember.
pub fn memory(delay: Option<SignedDuration>) -> SignedDuration {
    delay.unwrap_or_default().min(MAX_MEMORY)
}

/// The stored facts of a breach.
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
    /// Its beginning, moved by the time since its end: a breach that returns has the age it had.
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
    /// When the object became breached, if it is breached. Objects stored before `breachedSince`
    /// existed have only the time of the condition.
    pub fn since(self) -> Option<Timestamp> {
        let (status, flipped) = self.condition()?;
        let since = self.since.map_or(flipped, |since| since.0);
        (status == Status::True).then_some(since)
    }

    /// The previous breach, while it is remembered.
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

    /// The next `breachedSince` for this status of the condition. `resume` returns the earliest
    /// time from which a returning breach may count as the one that ended, if it is that one.
    pub fn next(
        self,
        status: Status,
        memory: SignedDuration,
        now: Timestamp,
        resume: impl FnOnce(Ended) -> Option<Timestamp>,
    ) -> Option<Time> {
        let is_remembered = |at: Timestamp| now.duration_since(at) < memory;
        let since = match (status, self.since()) {
            // A breach that an update causes does not continue an earlier one.
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
