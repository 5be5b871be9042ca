//! How long an object waits after a failure: 50 ms, doubling up to 5 s; if the API server refuses
//! the write, growing fourfold up to 45 s: with the share below less than a minute.
//!
//! Only the failed class of writes waits, each class by itself. Everything else about the object
//! goes on: an event in between neither repeats the failed kind of write early nor has to wait for
//! it, and another failure neither ends nor prolongs its wait. A changed spec ends all waits. A
//! refused write is sent again as soon as its content differs: the mistake may be in a label, or in
//! another object.
//!
//! If a write failed because another client wrote in between, it is not sent again with the version
//! that is known to be outdated: it waits until the cache shows a newer version, or until the wait
//! is over.
//!
//! The wait varies a little with the name of the object, so that thousands of objects that fail
//! together do not retry together.

mod sent;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::LastError;
use domain::Key;
use domain::object::fnv;
use domain::plan::{Action, Kind, Version};
use tokio::time::Instant;

pub use sent::Sent;

const INITIAL_WAIT: Duration = Duration::from_millis(50);
const MAX_WAIT: Duration = Duration::from_secs(5);
/// With the largest [`share`] 56 s: "within a minute", as users are promised.
const MAX_WAIT_REFUSED: Duration = Duration::from_secs(45);
/// A class that has not failed for this long after its wait was over is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(1);

/// A verb and the kind that it writes.
pub type Class = (&'static str, Kind);

/// The verb of a status.
pub const STATUS: &str = "status";

/// Writes that wait.
#[derive(Clone, Debug, Default)]
pub struct Blocked {
    /// Classes in which every write waits.
    pub classes: BTreeSet<Class>,
    /// Versions that are outdated: a write that expects one of them waits.
    pub outdated: BTreeSet<Version>,
}

impl Blocked {
    /// Whether this action waits.
    pub fn holds(&self, action: &Action) -> bool {
        self.classes.contains(&(action.verb(), action.kind())) || self.is_outdated(action)
    }

    /// Whether the version that this action expects is known to be no longer the newest.
    pub fn is_outdated(&self, action: &Action) -> bool {
        let is_known = |expected| self.outdated.contains(&expected);
        !self.outdated.is_empty() && action.expected_version().is_some_and(is_known)
    }
}

/// A failure of one class of writes.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Writes that are not repeated before the time is over; `None` if another client's write got
    /// in between, or a rule failed.
    pub class: Option<Class>,
    /// Generation of the object for which it failed.
    pub generation: Option<i64>,
    /// The errors that the status lists meanwhile.
    pub errors: Vec<LastError>,
    /// Whether the API server refused, so that a quick retry is of little use.
    pub is_refused: bool,
    /// How long the API server asks to wait.
    pub after: Duration,
    /// The versions that other clients replaced in between.
    pub outdated: BTreeSet<Version>,
    /// The refused objects.
    pub sent: Vec<Sent>,
}

/// Waits that are not over.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Writes that are not repeated yet.
    pub blocked: Blocked,
    /// The errors that the status lists meanwhile.
    pub errors: Vec<LastError>,
    /// Time left for the first of the waits.
    pub rest: Duration,
}

#[derive(Debug)]
struct Entry {
    count: u32,
    until: Instant,
    generation: Option<i64>,
    errors: Vec<LastError>,
    outdated: BTreeSet<Version>,
    sent: Vec<Sent>,
}

/// Failures in a row, per object and class.
#[derive(Debug, Default)]
pub struct Backoff(Mutex<HashMap<Key, BTreeMap<Option<Class>, Entry>>>);

impl Backoff {
    /// Counts a failure; returns the number of failures in a row and the time to wait.
    pub fn failed(&self, key: &Key, failure: Failure) -> (u32, Duration) {
        let mut entries = self.entries();
        let classes = entries.entry(key.clone()).or_default();
        let before = classes.get(&failure.class).map_or(0, |entry| entry.count);
        let wait = wait(before, failure.is_refused).max(failure.after);
        let wait = wait + share(key, wait);
        let count = before.saturating_add(1);
        classes.insert(
            failure.class,
            Entry {
                count,
                until: Instant::now() + wait,
                generation: failure.generation,
                errors: failure.errors,
                outdated: failure.outdated,
                sent: failure.sent,
            },
        );
        (count, wait)
    }

    /// The waits of an object that are not over and not for another spec.
    pub fn pending(&self, key: &Key, generation: Option<i64>) -> Option<Pending> {
        let entries = self.entries();
        let now = Instant::now();
        let classes = entries.get(key)?.iter();
        // A conflict has nothing to do with the spec.
        let waits = |class: &Option<Class>, entry: &Entry| match class {
            None => !entry.outdated.is_empty(),
            Some(_) => entry.generation == generation,
        };
        let waiting: Vec<_> = classes
            .filter(|(class, entry)| entry.until > now && waits(class, entry))
            .collect();
        let first = waiting.iter().map(|(_, entry)| entry.until).min()?;
        let entries = || waiting.iter().map(|(_, entry)| entry);
        Some(Pending {
            blocked: Blocked {
                classes: waiting.iter().filter_map(|(class, _)| **class).collect(),
                outdated: entries().flat_map(|e| e.outdated.clone()).collect(),
            },
            errors: entries().flat_map(|e| e.errors.clone()).collect(),
            rest: first.saturating_duration_since(now),
        })
    }

    /// Forgets the classes that succeeded, and those that have not failed for a minute since their
    /// wait was over. The absence of a write in the plan is no success: an unverified write is not
    /// repeated until it was read live, and then fails again.
    pub fn keep(&self, key: &Key, failed: &BTreeSet<Option<Class>>, done: &BTreeSet<Class>) {
        let now = Instant::now();
        if let Some(classes) = self.entries().get_mut(key) {
            classes.retain(|class, entry| {
                let is_due = class.is_none_or(|class| done.contains(&class));
                failed.contains(class) || !is_due && entry.until + FORGOTTEN_AFTER > now
            });
        }
    }

    /// Ends the waits of refused writes that would be sent with other content now.
    pub fn forget_corrected(&self, key: &Key, waves: &[Vec<Action>]) {
        let mut entries = self.entries();
        let Some(classes) = entries.get_mut(key) else {
            return;
        };
        classes.retain(|class, entry| {
            let is_same = |action: &&Action| Some((action.verb(), action.kind())) == *class;
            let mut planned = waves.iter().flatten().filter(is_same);
            let is_corrected = |action| entry.sent.iter().any(|sent| sent.is_corrected_by(action));
            entry.sent.is_empty() || !planned.any(is_corrected)
        });
    }

    /// That class succeeded once more: a failure after it is the first of a new row.
    pub fn succeeded(&self, key: &Key, class: Class) {
        if let Some(classes) = self.entries().get_mut(key) {
            classes.remove(&Some(class));
        }
    }

    /// How often this failed in a row.
    pub fn count(&self, key: &Key, class: Option<Class>) -> u32 {
        let entries = self.entries();
        let entry = entries.get(key).and_then(|classes| classes.get(&class));
        entry.map_or(0, |entry| entry.count)
    }

    /// Whether a failure of the object is remembered.
    pub fn holds(&self, key: &Key) -> bool {
        let entries = self.entries();
        entries.get(key).is_some_and(|classes| !classes.is_empty())
    }

    /// Forgets the failures of an object.
    pub fn forget(&self, key: &Key) {
        self.entries().remove(key);
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<Key, BTreeMap<Option<Class>, Entry>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait(before: u32, is_refused: bool) -> Duration {
    let before = before.min(16);
    if is_refused {
        return INITIAL_WAIT
            .saturating_mul(1 << (2 * before).min(30))
            .min(MAX_WAIT_REFUSED);
    }
    INITIAL_WAIT.saturating_mul(1 << before).min(MAX_WAIT)
}

/// Up to a quarter of the wait, always the same for an object.
fn share(key: &Key, wait: Duration) -> Duration {
    let name = format!("{}/{}", key.namespace, key.name);
    let hash = u32::try_from(fnv::hash(name.as_bytes()) % 256).unwrap_or(0);
    wait * hash / 1024
}
