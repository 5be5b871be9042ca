//! Keys that wait for a controller: unbounded, each at most once, so the hub never waits for a
//! consumer.

mod pace;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Key;
use futures::Stream;
use tokio::sync::Notify;
use tokio::time::Instant;

use pace::Pace;

/// A queue of keys without repetition; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    order: VecDeque<Key>,
    members: HashSet<Key>,
}

impl Queue {
    /// Adds a key unless it waits already.
    pub fn push(&self, key: Key) {
        let mut waiting = self
            .0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if waiting.members.insert(key.clone()) {
            waiting.order.push_back(key);
            self.0.arrived.notify_one();
        }
    }

    /// How many keys wait.
    pub fn len(&self) -> usize {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .members
            .len()
    }

    /// Whether no key waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All keys from now on, in order of arrival. One consumer only.
    pub fn keys(self) -> impl Stream<Item = Key> {
        futures::stream::unfold(self, |queue| async move {
            loop {
                if let Some(key) = queue.pop() {
                    return Some((key, queue));
                }
                queue.0.arrived.notified().await;
            }
        })
    }

    /// The same, but no key comes again within `rest`: what changes about an object meanwhile is
    /// one decision and not many. A key that has not come for so long comes at once.
    pub fn paced_keys(self, rest: Duration) -> impl Stream<Item = Key> {
        futures::stream::unfold((self, Pace::new(rest)), |(queue, mut pace)| async move {
            loop {
                if let Some(key) = queue.pop_rested(&mut pace) {
                    return Some((key, (queue, pace)));
                }
                let arrival = queue.0.arrived.notified();
                match pace.next_due() {
                    Some(due) => drop(tokio::time::timeout_at(due, arrival).await),
                    None => arrival.await,
                }
            }
        })
    }

    /// The next key that may come now; those that may not yet are kept in `pace`, and wait all the
    /// same: whoever adds one again adds nothing.
    fn pop_rested(&self, pace: &mut Pace) -> Option<Key> {
        let now = Instant::now();
        let mut waiting = self
            .0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = pace.rested(now).or_else(|| {
            std::iter::from_fn(|| waiting.order.pop_front()).find_map(|key| pace.admit(key, now))
        })?;
        waiting.members.remove(&key);
        Some(key)
    }

    fn pop(&self) -> Option<Key> {
        let mut waiting = self
            .0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = waiting.order.pop_front()?;
        waiting.members.remove(&key);
        Some(key)
    }
}
