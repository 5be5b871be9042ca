//! The objects of a watch that cannot be decoded now.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::Key;
use domain::plan::{Kind, Target};
use kube::Resource;
use kube::runtime::watcher::Event;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;

use crate::list_item::ListItem;
use crate::metrics::{ByKind, Metrics};

/// Objects of one watch that cannot be decoded, counted and named.
#[derive(Debug)]
pub(super) struct Unreadable {
    known: Mutex<Known>,
    /// The count over all watches of the kind.
    gauge: Gauge,
    /// Notified when there is one more.
    pub(super) found: Notify,
}

/// An object that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) object: Target,
    pub(super) problem: String,
    /// It is being deleted, and is handled by its metadata.
    pub(super) goes: bool,
}

impl Unread {
    fn of<K: Resource<DynamicType = ()>>(shown: &ListItem<K>) -> Option<Self> {
        Some(Self {
            object: Target {
                kind: Kind::of::<K>(),
                key: Key::of(shown.meta()),
                uid: shown.meta().uid.clone().unwrap_or_default(),
            },
            problem: shown.problem()?.to_owned(),
            goes: shown.object.is_ok(),
        })
    }
}

#[derive(Debug, Default)]
struct Known {
    now: HashMap<Key, Unread>,
    /// The undecodable objects of a full list that is under way.
    listed: HashMap<Key, Unread>,
}

impl Unreadable {
    pub(super) fn new(metrics: &Metrics, kind: &'static str) -> Self {
        Self {
            known: Mutex::default(),
            gauge: metrics.unreadable.get_or_create_owned(&ByKind { kind }),
            found: Notify::new(),
        }
    }

    /// Records an event of the watch.
    pub(super) fn note<K: Resource<DynamicType = ()>>(&self, event: &Event<ListItem<K>>) {
        let mut known = self.known();
        let before = known.now.len();
        match event {
            Event::Init => known.listed.clear(),
            Event::InitApply(object) => {
                let unread = Unread::of(object);
                let unread = unread.map(|unread| (Key::of(object.meta()), unread));
                known.listed.extend(unread);
            }
            Event::InitDone => {
                known.now = std::mem::take(&mut known.listed);
                self.found.notify_one();
            }
            Event::Apply(object) if object.problem().is_some() => {
                let unread = Unread::of(object);
                let unread = unread.map(|unread| (Key::of(object.meta()), unread));
                known.now.extend(unread);
                self.found.notify_one();
            }
            Event::Apply(_) | Event::Delete(_) if known.now.is_empty() => {}
            Event::Apply(object) | Event::Delete(object) => {
                known.now.remove(&Key::of(object.meta()));
            }
        }
        self.count(before, known.now.len());
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Unread> {
        self.known().now.values().cloned().collect()
    }

    /// The kind is not served any more.
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
