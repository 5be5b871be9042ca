//! The keys that wait, are under way, or rest.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use domain::Key;
use hashbrown::HashMap;
use tokio::time::Instant;

use super::free_slots::FreeSlots;
use super::{LEAST_REST, SLOW, Turn, TurnEnd, Work, rest_after};
use crate::flow::WriteHealth;

/// This many rests are remembered; beyond it, finished rests are forgotten.
const MAX_RESTS: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct QueueState {
    /// Keys that are due, by namespace, each in order of arrival.
    due: HashMap<String, VecDeque<Key>>,
    /// Namespaces that have keys in `due`, in the order of their turns.
    turns: VecDeque<String>,
    /// Since when each key in `due` waits.
    waiting: HashMap<Key, Instant>,
    /// Keys that have their turn.
    running: HashMap<Key, Running>,
    /// Keys that are not due yet, by time and by key.
    later: BTreeSet<(Instant, Key)>,
    later_at: HashMap<Key, Instant>,
    /// When rests are over.
    rests: HashMap<Key, Instant>,
    /// How often a key became due.
    added: u64,
}

#[derive(Debug)]
pub(super) struct Running {
    since: Instant,
    /// Whether the key was added again meanwhile.
    is_dirty: bool,
}

impl Running {
    /// When it leaves its slot to others.
    pub(super) fn is_slow_at(&self) -> Instant {
        self.since + SLOW
    }
}

impl QueueState {
    pub(super) fn add(&mut self, key: Key, now: Instant) {
        if let Some(running) = self.running.get_mut(&key) {
            running.is_dirty = true;
        } else if !self.waiting.contains_key(&key) {
            self.add_rested(key, now);
        }
    }

    /// Adds a key for now, or for the end of its rest.
    fn add_rested(&mut self, key: Key, now: Instant) {
        let rested = self.rests.get(&key).copied();
        self.add_at(key, rested.unwrap_or(now).max(now), now);
    }

    /// Adds a key for that time, unless it is due earlier.
    fn add_at(&mut self, key: Key, at: Instant, now: Instant) {
        let before = self.later_at.get(&key).copied();
        if before.is_some_and(|before| before <= at) {
            return;
        }
        if let Some(before) = before {
            self.later.remove(&(before, key.clone()));
        }
        if at <= now {
            self.later_at.remove(&key);
            self.push_due(key, now);
        } else {
            self.later_at.insert(key.clone(), at);
            self.later.insert((at, key));
        }
    }

    /// A key under way comes again after its turn, and a waiting key is not added a second time: a
    /// key that was due at a time may be both.
    fn push_due(&mut self, key: Key, since: Instant) {
        if let Some(running) = self.running.get_mut(&key) {
            running.is_dirty = true;
            return;
        }
        if self.waiting.contains_key(&key) {
            return;
        }
        let line = self.due.entry(key.namespace.clone()).or_default();
        if line.is_empty() {
            self.turns.push_back(key.namespace.clone());
        }
        self.waiting.insert(key.clone(), since);
        self.added += 1;
        line.push_back(key);
    }

    /// Moves the keys that have become due to the waiting keys.
    fn promote(&mut self, now: Instant) {
        while let Some((at, _)) = self.later.first() {
            if *at > now {
                return;
            }
            if let Some((at, key)) = self.later.pop_first() {
                self.later_at.remove(&key);
                self.push_due(key, at);
            }
        }
    }

    pub(super) fn hand_out(
        &mut self,
        slots: usize,
        health: impl Fn(&str) -> WriteHealth,
        now: Instant,
    ) -> Option<Turn> {
        self.promote(now);
        let key = self.next_key(slots, health, now)?;
        let since = self.waiting.remove(&key).unwrap_or(now);
        let running = Running {
            since: now,
            is_dirty: false,
        };
        self.running.insert(key.clone(), running);
        Some(Turn {
            key,
            waited: now.duration_since(since),
        })
    }

    /// The first key of the next namespace that may have a slot.
    fn next_key(
        &mut self,
        slots: usize,
        health: impl Fn(&str) -> WriteHealth,
        now: Instant,
    ) -> Option<Key> {
        let free = FreeSlots::of(&self.running, slots, health, now);
        for _ in 0..self.turns.len() {
            let namespace = self.turns.pop_front()?;
            if !free.may_have_slot(&namespace) {
                self.turns.push_back(namespace);
                continue;
            }
            let line = self.due.get_mut(&namespace)?;
            let key = line.pop_front();
            if line.is_empty() {
                self.due.remove(&namespace);
            } else {
                self.turns.push_back(namespace);
            }
            return key;
        }
        None
    }

    /// When a key may become available without a call to add or finish.
    pub(super) fn next_change(&self, now: Instant) -> Option<Instant> {
        let due = self.later.first().map(|(at, _)| *at);
        let waits = !self.waiting.is_empty();
        let freed = self
            .running
            .values()
            .map(Running::is_slow_at)
            .filter(|at| waits && *at > now)
            .min();
        due.into_iter().chain(freed).min()
    }

    pub(super) fn finish(&mut self, key: &Key, end: TurnEnd, now: Instant) {
        let Some(running) = self.running.remove(key) else {
            return;
        };
        let decided = running.since + end.deciding;
        self.rest(key, decided + rest_after(end.deciding), now);
        if running.is_dirty {
            self.add_rested(key.clone(), now);
        }
        if let Some(again) = end.again {
            // The key is due then: that is one more decision, and not many.
            let at = (now + again).max(decided + LEAST_REST);
            self.add_at(key.clone(), at, now);
        }
    }

    fn rest(&mut self, key: &Key, until: Instant, now: Instant) {
        if self.rests.len() >= MAX_RESTS {
            self.rests.retain(|_, until| *until > now);
        }
        if until > now {
            self.rests.insert(key.clone(), until);
        }
    }

    pub(super) fn depth(&mut self, now: Instant) -> usize {
        self.promote(now);
        self.waiting.len()
    }

    pub(super) fn longest_wait(&mut self, now: Instant) -> Duration {
        self.promote(now);
        let since = self.waiting.values().min();
        since.map_or(Duration::ZERO, |since| now.duration_since(*since))
    }

    pub(super) fn under_way(&self) -> usize {
        self.running.len()
    }

    pub(super) fn added(&self) -> u64 {
        self.added
    }

    pub(super) fn work_under_way(&self, now: Instant) -> Work {
        let turns = self.running.values().map(|r| now.duration_since(r.since));
        Work {
            total: turns.clone().sum(),
            longest: turns.max().unwrap_or_default(),
        }
    }

    pub(super) fn take_all(&mut self) -> Vec<Key> {
        self.turns.clear();
        self.waiting.clear();
        self.later.clear();
        self.later_at.clear();
        let mut all: Vec<Key> = self.due.drain().flat_map(|(_, line)| line).collect();
        all.sort();
        all
    }
}
