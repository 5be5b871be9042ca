//! Keys that wait for their turn with a controller.
//!
//! A key is handed out only when a slot is free, so all waiting keys are here and nowhere else.
//! Keys of a namespace come first in, first out; namespaces take turns. A key that is added while
//! it is under way is marked and comes again afterwards. After its turn a key rests, so that the
//! changes of an object meanwhile cause one decision and not many.
//!
//! The last free slot is kept for a namespace that has no key under way, so that it does not wait
//! for a busy namespace. A reconcile that takes longer than [`SLOW`] waits for the API server and
//! leaves its slot to others. No namespace has more keys under way than there are slots, so that an
//! admission webhook that hangs there does not delay other namespaces; and namespaces whose writes
//! take long share one half of the slots, however many they are (decision 125).

mod free_slots;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::Key;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::flow::WriteHealth;
use state::QueueState;

/// The shortest rest after a turn.
pub const LEAST_REST: Duration = Duration::from_millis(20);
/// A key rests this many times as long as the decision took, if that is less than [`SHORT_REST`]:
/// pods that become ready one after the other cost little.
const REST_PER_DECISION: u32 = 100;
/// A delay that a person hardly notices.
const SHORT_REST: Duration = Duration::from_millis(500);
/// A key rests at least this many times as long: a set of 10,000 pods must not keep a core busy by
/// itself.
const REST_PER_LONG_DECISION: u32 = 5;
/// A reconcile that takes longer leaves its slot to others.
pub const SLOW: Duration = Duration::from_secs(1);

/// A queue of keys without repetition; clones share it.
#[derive(Clone, Debug, Default)]
pub struct WorkQueue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<QueueState>,
    changed: Notify,
}

/// A key that may be reconciled now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The key.
    pub key: Key,
    /// How long it waited for a slot.
    pub waited: Duration,
}

/// The state of a key after its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnEnd {
    /// How long the decision itself took, without any request.
    pub deciding: Duration,
    /// When to reconcile again if nothing happens before.
    pub again: Option<Duration>,
}

/// How long the keys under way have had their turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The sum over all of them.
    pub total: Duration,
    /// The longest of them.
    pub longest: Duration,
}

/// How long a key rests after a decision of this length. The rest does not delay a key that is due
/// at a time.
pub fn rest_after(deciding: Duration) -> Duration {
    let short = (deciding * REST_PER_DECISION).min(SHORT_REST);
    let long = deciding * REST_PER_LONG_DECISION;
    LEAST_REST.max(short).max(long)
}

impl WorkQueue {
    /// Adds a key unless it waits already.
    pub fn add(&self, key: Key) {
        self.state().add(key, Instant::now());
        self.0.changed.notify_one();
    }

    /// The next key, as soon as it is due and one of this many slots is free for its namespace,
    /// given the state of the namespace's writes. One consumer only.
    pub async fn next(&self, slots: usize, health: impl Fn(&str) -> WriteHealth) -> Turn {
        loop {
            let due = {
                let mut state = self.state();
                let now = Instant::now();
                if let Some(turn) = state.hand_out(slots, &health, now) {
                    return turn;
                }
                state.next_change(now)
            };
            let changed = self.0.changed.notified();
            match due {
                Some(due) => drop(tokio::time::timeout_at(due, changed).await),
                None => changed.await,
            }
        }
    }

    /// The turn of a key is over.
    pub fn finish(&self, key: &Key, end: TurnEnd) {
        self.state().finish(key, end, Instant::now());
        self.0.changed.notify_one();
    }

    /// How many keys are due and wait for a slot.
    pub fn depth(&self) -> usize {
        self.state().depth(Instant::now())
    }

    /// How long the oldest of them has been waiting.
    pub fn longest_wait(&self) -> Duration {
        self.state().longest_wait(Instant::now())
    }

    /// How many keys have their turn now.
    pub fn under_way(&self) -> usize {
        self.state().under_way()
    }

    /// How often a key became due.
    pub fn added(&self) -> u64 {
        self.state().added()
    }

    /// How long the keys under way have had their turn.
    pub fn work_under_way(&self) -> Work {
        self.state().work_under_way(Instant::now())
    }

    /// Removes and returns all added keys, for a caller that works them off by itself.
    pub fn take_all(&self) -> Vec<Key> {
        self.state().take_all()
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
