//! When a pod that ended is replaced, and when its index is given up (docs/semantics.md §6.4).

use api::labels;
use jiff::{SignedDuration, Timestamp};

use super::Pod;
use crate::object::ownership;

/// The back-off of replaced pods: all its numbers.
impl Pod {
    /// The wait before the second replacement; the first has none. Each further wait is doubled.
    const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(10);

    /// No wait is longer.
    const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(5);

    /// A pod that lived so long did not fail soon after its start. It is longer than any wait.
    pub const LONG_LIFE: SignedDuration = Self::LONGEST_WAIT.saturating_mul(2);

    /// After this many consecutive failures of its pods, an index of a job is given up.
    pub const FAILURES_IN_A_ROW: u32 = 5;
}

impl Pod {
    /// How many consecutive pods of this index, including this one, ended soon after their start; 0
    /// if this one has not ended, or lived long enough. One that its deletion ended is left out.
    pub fn failure_count(&self) -> u32 {
        let is_over = self.is_finished() || self.is_failed();
        let Some(ended) = self.ended_at().filter(|_| is_over) else {
            return 0;
        };
        let born = self
            .metadata
            .creation_timestamp
            .as_ref()
            .map_or(ended, |t| t.0);
        if ended.duration_since(born) >= Self::LONG_LIFE {
            return 0;
        }
        let own = u32::from(!self.was_ended_by_its_deletion());
        self.earlier_failures().saturating_add(own)
    }

    /// Whether it failed as the last of so many consecutive pods of its index that its successor
    /// would fail, too.
    pub fn is_given_up(&self) -> bool {
        self.is_failed() && self.failure_count() >= Self::FAILURES_IN_A_ROW
    }

    /// The number of earlier consecutive failures, carried on the pod.
    pub fn earlier_failures(&self) -> u32 {
        let carried = |key| ownership::annotation(&self.metadata, key);
        let carried =
            carried(labels::POD_FAILURE_COUNT).or_else(|| carried(labels::OLD_POD_FAILURE_COUNT));
        carried.and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// When it is replaced if it has ended: the first time at once, then after a wait that doubles.
    pub fn replacement_due(&self) -> Option<Timestamp> {
        let wait = match self.earlier_failures() {
            0 => SignedDuration::ZERO,
            n => Self::FIRST_WAIT
                .saturating_mul(2_i32.saturating_pow(n.saturating_sub(1)))
                .min(Self::LONGEST_WAIT),
        };
        self.ended_at()?.checked_add(wait).ok()
    }
}
