//! The writes that each namespace has under way, and the writes that it may still send.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::write_health::{Occupancy, WriteHealth};

/// A namespace holds at most one of this many shares of the limit, and at least one write.
const SHARES: usize = 4;
/// The limit of slow writes of all namespaces together, as a multiple of the limit; beyond it each
/// namespace has one. Each write has a connection, and a seat of the API server's fairness.
const MAX_SLOW_LIMITS: usize = 4;
/// A namespace counts as slow for this long after its last slow write ended: failed writes are
/// tried again within a minute.
const SLOW_FOR: Duration = Duration::from_mins(5);
/// A namespace counts as answered for this long after its last quick write.
const KNOWN_FOR: Duration = Duration::from_hours(1);
/// This many namespaces are remembered; beyond it, those without any known state are forgotten.
const MAX_NAMESPACES: usize = 1000;

/// The writes under way, by namespace.
#[derive(Debug, Default)]
pub(super) struct HeldPermits(HashMap<String, Writes>);

/// The writes of one namespace.
#[derive(Clone, Copy, Debug, Default)]
struct Writes {
    /// The writes that are not slow.
    quick: usize,
    slow: usize,
    slow_until: Option<Instant>,
    known_until: Option<Instant>,
}

impl Writes {
    fn under_way(self) -> usize {
        self.quick + self.slow
    }

    fn write_health(self, now: Instant) -> WriteHealth {
        let lasts = |until: Option<Instant>| until.is_some_and(|until| until > now);
        if self.slow > 0 || lasts(self.slow_until) {
            WriteHealth::Slow
        } else if lasts(self.known_until) {
            WriteHealth::Answered
        } else {
            WriteHealth::Unknown
        }
    }
}

impl HeldPermits {
    pub(super) fn enter(&mut self, namespace: &str) {
        self.0.entry(namespace.to_owned()).or_default().quick += 1;
    }

    /// A write of this namespace has become slow.
    pub(super) fn note_slow(&mut self, namespace: &str) {
        let writes = self.0.entry(namespace.to_owned()).or_default();
        writes.quick = writes.quick.saturating_sub(1);
        writes.slow += 1;
    }

    pub(super) fn release(&mut self, namespace: &str, was_slow: bool, now: Instant) {
        let writes = self.0.entry(namespace.to_owned()).or_default();
        if was_slow {
            writes.slow = writes.slow.saturating_sub(1);
            writes.slow_until = Some(now + SLOW_FOR);
        } else {
            writes.quick = writes.quick.saturating_sub(1);
            writes.known_until = Some(now + KNOWN_FOR);
        }
        if self.0.len() > MAX_NAMESPACES {
            self.0.retain(|_, writes| {
                writes.under_way() > 0 || writes.write_health(now) != WriteHealth::Unknown
            });
        }
    }

    pub(super) fn under_way_in(&self, namespace: &str) -> usize {
        self.of(namespace).under_way()
    }

    pub(super) fn write_health(&self, namespace: &str, now: Instant) -> WriteHealth {
        self.of(namespace).write_health(now)
    }

    fn of(&self, namespace: &str) -> Writes {
        self.0.get(namespace).copied().unwrap_or_default()
    }
}

/// Which namespaces may send now.
pub(super) struct FreePermits<'a> {
    held: &'a HeldPermits,
    now: Instant,
    occupancy: Occupancy,
    share: usize,
    share_of_slow: usize,
}

impl<'a> FreePermits<'a> {
    pub(super) fn of(held: &'a HeldPermits, limit: usize, now: Instant) -> Self {
        let mut occupancy = Occupancy::of(limit);
        let mut slow = 0;
        for writes in held.0.values() {
            occupancy.add(writes.write_health(now), writes.quick);
            slow += writes.slow;
        }
        let share = (limit / SHARES).max(1);
        let are_many_slow = slow >= limit * MAX_SLOW_LIMITS;
        Self {
            held,
            now,
            occupancy,
            share,
            share_of_slow: if are_many_slow { 1 } else { share },
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.occupancy.is_full()
    }

    /// A namespace without any known answer sends one write first, which shows its state.
    pub(super) fn may_enter(&self, namespace: &str) -> bool {
        let writes = self.held.of(namespace);
        let health = writes.write_health(self.now);
        let share = match health {
            WriteHealth::Answered => self.share,
            WriteHealth::Unknown => 1,
            WriteHealth::Slow => self.share_of_slow,
        };
        let under_way = writes.under_way();
        under_way < share && self.occupancy.has_place(health, under_way == 0)
    }
}
