//! What a watch shows and nobody can decode, as of now.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::Key;
use kube::Resource;
use kube::runtime::watcher::Event;
use prometheus_client::metrics::gauge::Gauge;

use crate::guarded::Guarded;
use crate::metrics::{ByKind, Metrics};

/// Objects of one watch that cannot be decoded, counted for whoever asks.
#[derive(Debug)]
pub(super) struct Unreadable {
    known: Mutex<Known>,
    /// Of all watches of the kind.
    gauge: Gauge,
}

#[derive(Debug, Default)]
struct Known {
    now: HashSet<Key>,
    /// Those of a full list that is under way.
    listed: HashSet<Key>,
}

impl Unreadable {
    pub(super) fn new(metrics: &Metrics, kind: &'static str) -> Self {
        Self {
            known: Mutex::default(),
            gauge: metrics.unreadable.get_or_create_owned(&ByKind { kind }),
        }
    }

    /// What the watch shows.
    pub(super) fn note<K: Resource>(&self, event: &Event<Guarded<K>>) {
        let mut known = self.known();
        let before = known.now.len();
        match event {
            Event::Init => known.listed.clear(),
            Event::InitApply(object) if object.0.is_err() => {
                known.listed.insert(Key::of(object.meta()));
            }
            Event::InitApply(_) => {}
            Event::InitDone => known.now = std::mem::take(&mut known.listed),
            Event::Apply(object) if object.0.is_err() => {
                known.now.insert(Key::of(object.meta()));
            }
            Event::Apply(_) | Event::Delete(_) if known.now.is_empty() => {}
            Event::Apply(object) | Event::Delete(object) => {
                known.now.remove(&Key::of(object.meta()));
            }
        }
        self.count(before, known.now.len());
    }

    /// The kind is not there any more.
    pub(super) fn forget(&self) {
        let before = std::mem::take(&mut *self.known()).now.len();
        self.count(before, 0);
    }

    fn count(&self, before: usize, now: usize) {
        let as_i64 = |count| i64::try_from(count).unwrap_or(i64::MAX);
        if before != now {
            self.gauge
                .inc_by(as_i64(now).saturating_sub(as_i64(before)));
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
