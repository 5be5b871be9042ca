//! WATCH.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};

use super::list::{Asked, expired, malformed};
use super::{Collection, Selector, Server};
use crate::store::{Answer, Record, Store, Stored};

/// The API server's timeout of a watch without its own.
const LONGEST: u64 = 1800;

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

/// An event of a watch.
#[derive(Clone, Debug)]
pub struct Event {
    /// The type.
    pub type_: EventType,
    /// The object, or a Status.
    pub object: Stored,
    /// The position in the log after this event.
    pub position: usize,
}

impl Event {
    /// The watch is useless: the requested version is compacted.
    pub fn expired() -> Self {
        Self {
            type_: EventType::Error,
            object: Arc::new(expired().body),
            position: 0,
        }
    }

    /// As it is sent.
    pub fn line(&self) -> String {
        let object = serde_json::to_string(&*self.object).unwrap_or_default();
        let type_ = self.type_;
        format!("{{\"type\":\"{type_}\",\"object\":{object}}}\n")
    }
}

/// A watch that is open.
#[derive(Debug)]
pub struct Watch {
    server: Server,
    collection: Collection,
    selector: Selector,
    /// How much of the log was read.
    position: usize,
    length: Receiver<usize>,
    bookmark: Option<Instant>,
    end: Instant,
}

impl Watch {
    pub(super) fn open(
        server: &Server,
        collection: Collection,
        asked: Asked,
    ) -> Result<Self, Answer> {
        let since = asked.resource_version.parse::<u64>();
        let since = since.map_err(|_| malformed("a watch has to name a resourceVersion"))?;
        let options = server.options();
        if since < options.compacted {
            return Err(expired());
        }
        let seconds = asked.timeout_seconds.unwrap_or(LONGEST);
        let bookmark = Instant::now() + options.bookmark_every;
        Ok(Self {
            length: server.changes(),
            position: server.with_store(|store| store.length_at(since)),
            server: server.clone(),
            collection,
            selector: asked.selector,
            bookmark: asked.has_bookmarks.then_some(bookmark),
            end: Instant::now() + Duration::from_secs(seconds),
        })
    }

    /// The next event, once there is one; `None` at the end.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            self.length.mark_unchanged();
            let server = self.server.clone();
            if let Some(event) = server.with_store(|store| self.look(store)) {
                return Some(event);
            }
            let now = Instant::now();
            if now >= self.end {
                return None;
            }
            if self.bookmark.is_some_and(|at| at <= now) {
                self.bookmark = Some(now + server.options().bookmark_every);
                return Some(self.mark());
            }
            let wake = self.bookmark.map_or(self.end, |at| at.min(self.end));
            tokio::select! {
                biased;
                // The sender lives as long as the server.
                _ = self.length.changed() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    /// The next event that the log has.
    fn look(&mut self, store: &Store) -> Option<Event> {
        while let Some(record) = store.log.get(self.position) {
            self.position += 1;
            if let Some((type_, object)) = self.tell(record) {
                let position = self.position;
                return Some(Event {
                    type_,
                    object,
                    position,
                });
            }
        }
        None
    }

    fn tell(&self, record: &Record) -> Option<(EventType, Stored)> {
        if !self.collection.holds(&record.id) {
            return None;
        }
        let is_selected = |object: &Option<Stored>| {
            object
                .as_ref()
                .is_some_and(|object| self.selector.selects(object))
        };
        match (is_selected(&record.before), is_selected(&record.after)) {
            (false, false) => None,
            (false, true) => Some((EventType::Added, record.last.clone())),
            (true, true) => Some((EventType::Modified, record.last.clone())),
            (true, false) => Some((EventType::Deleted, last_selected(record))),
        }
    }

    /// A bookmark: everything up to the present version was shown.
    fn mark(&self) -> Event {
        let version = self.server.with_store(|store| store.version());
        let resource = self.collection.resource;
        Event {
            type_: EventType::Bookmark,
            object: Arc::new(json!({
                "apiVersion": resource.api_version(),
                "kind": resource.to_string(),
                "metadata": {"resourceVersion": version.to_string()},
            })),
            position: self.position,
        }
    }
}

/// A deleted object is shown in its last state; an object that is no longer selected in its last
/// selected state, with the version of the change.
fn last_selected(record: &Record) -> Stored {
    let Some(before) = record.before.as_ref().filter(|_| record.after.is_some()) else {
        return record.last.clone();
    };
    let mut last = (**before).clone();
    last["metadata"]["resourceVersion"] = json!(record.version.to_string());
    Arc::new(last)
}
