//! Keys that wait for a controller: unbounded, each at most once, so the hub never waits for a
//! consumer.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use domain::Key;
use futures::Stream;
use tokio::sync::Notify;

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
            .order
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
