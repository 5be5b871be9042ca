//! Which keys came a moment ago and have to rest before they come again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use domain::Key;
use tokio::time::Instant;

/// So many are remembered before those that have rested are looked for and forgotten.
const REMEMBERED: usize = 1000;

/// When keys came, and those that wait for their rest to end.
#[derive(Debug)]
pub(super) struct Pace {
    rest: Duration,
    came: HashMap<Key, Instant>,
    resting: BinaryHeap<Reverse<(Instant, Key)>>,
}

impl Pace {
    pub(super) fn new(rest: Duration) -> Self {
        Self {
            rest,
            came: HashMap::new(),
            resting: BinaryHeap::new(),
        }
    }

    /// Lets the key come now, unless it came a moment ago: then it rests.
    pub(super) fn admit(&mut self, key: Key, now: Instant) -> Option<Key> {
        match self.came.get(&key).map(|at| *at + self.rest) {
            Some(due) if due > now => {
                self.resting.push(Reverse((due, key)));
                None
            }
            _ => {
                self.note(key.clone(), now);
                Some(key)
            }
        }
    }

    /// A key whose rest is over.
    pub(super) fn rested(&mut self, now: Instant) -> Option<Key> {
        self.next_due().filter(|due| *due <= now)?;
        let Reverse((_, key)) = self.resting.pop()?;
        self.note(key.clone(), now);
        Some(key)
    }

    /// When the next rest is over.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.resting.peek().map(|Reverse((due, _))| *due)
    }

    fn note(&mut self, key: Key, now: Instant) {
        if self.came.len() >= REMEMBERED {
            let rest = self.rest;
            self.came.retain(|_, at| *at + rest > now);
        }
        self.came.insert(key, now);
    }
}
