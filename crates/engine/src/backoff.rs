//! How long an object waits after a failure: 50 ms, doubling up to 5 s, for each object alone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Key;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// Failures in a row, per object.
#[derive(Debug, Default)]
pub struct Backoff(Mutex<HashMap<Key, u32>>);

impl Backoff {
    /// Counts a failure; tells how many there were in a row and how long to wait.
    pub fn failed(&self, key: &Key) -> (u32, Duration) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry(key.clone()).or_default();
        let wait = FIRST.saturating_mul(1 << (*count).min(7)).min(LONGEST);
        *count = count.saturating_add(1);
        (*count, wait)
    }

    /// Forgets the failures of an object.
    pub fn succeeded(&self, key: &Key) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(key);
    }
}
