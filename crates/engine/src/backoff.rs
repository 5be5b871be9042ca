//! How long an object waits after a failure, each object alone: 50 ms, doubling up to 5 s, or up
//! to a minute for what the API server refuses.
//!
//! Only what failed waits. Everything else about the object goes on: an event in between neither
//! repeats the failed kind of write early nor has to wait for it. A changed spec ends the wait.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::LastError;
use domain::Key;
use domain::plan::Kind;
use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);
const LONGEST_REFUSED: Duration = Duration::from_mins(1);

/// A verb and the kind it is done to.
pub type Class = (&'static str, Kind);

/// What failed.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Generation of the object for which it failed.
    pub generation: Option<i64>,
    /// Writes that are not repeated before the time is over.
    pub blocked: BTreeSet<Class>,
    /// What the status says meanwhile.
    pub errors: Vec<LastError>,
    /// Whether the API server refused, so that asking again soon is of little use.
    pub is_refused: bool,
}

/// A wait that is not over.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What failed.
    pub failure: Failure,
    /// Time left.
    pub rest: Duration,
}

#[derive(Debug)]
struct Entry {
    count: u32,
    until: Instant,
    failure: Failure,
}

/// Failures in a row, per object.
#[derive(Debug, Default)]
pub struct Backoff(Mutex<HashMap<Key, Entry>>);

impl Backoff {
    /// Counts a failure; tells how many there were in a row and how long to wait.
    pub fn failed(&self, key: &Key, failure: Failure) -> (u32, Duration) {
        let longest = if failure.is_refused {
            LONGEST_REFUSED
        } else {
            LONGEST
        };
        let mut entries = self.entries();
        let before = entries.get(key).map_or(0, |entry| entry.count);
        let wait = FIRST.saturating_mul(1 << before.min(16)).min(longest);
        let count = before.saturating_add(1);
        entries.insert(
            key.clone(),
            Entry {
                count,
                until: Instant::now() + wait,
                failure,
            },
        );
        (count, wait)
    }

    /// The wait of an object, unless it is over or was for another spec.
    pub fn pending(&self, key: &Key, generation: Option<i64>) -> Option<Pending> {
        let entries = self.entries();
        let entry = entries
            .get(key)
            .filter(|e| e.failure.generation == generation)?;
        let rest = entry.until.checked_duration_since(Instant::now())?;
        (!rest.is_zero()).then(|| Pending {
            failure: entry.failure.clone(),
            rest,
        })
    }

    /// Forgets the failures of an object.
    pub fn succeeded(&self, key: &Key) {
        self.entries().remove(key);
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<Key, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
