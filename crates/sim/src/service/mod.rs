//! The store as an API server serves it: lists in pages, watches as streams of events, the
//! description of our kinds.
//!
//! There are no sockets, and all times are tokio's, which tests let stand still.

mod collection;
mod description;
mod list;
mod selector;
mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch::{Receiver, Sender};

use crate::resource::Resource;
use crate::store::{Answer, Call, Store};
use collection::Collection;
use selector::Selector;
pub use watch::{Event, EventType, Watch};

/// The clock for times in objects.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The server's behaviour.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most objects of a page, whatever the request.
    pub longest_page: usize,
    /// Time between two bookmarks of a watch.
    pub bookmark_every: Duration,
    /// The log up to this version is compacted: no watch and no page begins before it.
    pub compacted: u64,
    /// Lists of these resources are of that version, like the lists of a server with an outdated
    /// cache.
    pub list_at: BTreeMap<Resource, u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            longest_page: usize::MAX,
            bookmark_every: Duration::from_secs(25),
            compacted: 0,
            list_at: BTreeMap::new(),
        }
    }
}

/// An API server; clones are the same one.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

struct Shared {
    clock: Clock,
    store: Mutex<Store>,
    options: Mutex<Options>,
    /// Length of the log: watches wait for it to grow.
    length: Sender<usize>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Server")
    }
}

/// The result of a request.
#[derive(Debug)]
pub enum Reply {
    /// One answer.
    Answer(Answer),
    /// A stream of events.
    Watch(Watch),
}

impl Server {
    /// Serves this store by this clock.
    pub fn new(store: Store, clock: Clock) -> Self {
        let length = Sender::new(store.log.len());
        Self(Arc::new(Shared {
            clock,
            store: Mutex::new(store),
            options: Mutex::default(),
            length,
        }))
    }

    /// Reads or changes the store at the present time; watches see the changes.
    pub fn with_store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        let mut store = self.store();
        store.now = (self.0.clock)();
        let result = act(&mut store);
        let length = store.log.len();
        drop(store);
        self.0.length.send_if_modified(|known| {
            let has_grown = *known != length;
            *known = length;
            has_grown
        });
        result
    }

    /// Changes the server's behaviour.
    pub fn configure(&self, change: impl FnOnce(&mut Options)) {
        let options = &self.0.options;
        change(&mut options.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The server's behaviour.
    pub fn options(&self) -> Options {
        let options = &self.0.options;
        options
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Notifies when the log has grown.
    pub fn changes(&self) -> Receiver<usize> {
        self.0.length.subscribe()
    }

    /// Carries out a request of `actor`. `query` is that of the URL.
    pub fn serve(&self, actor: &'static str, call: &Call, query: &str) -> Reply {
        if let Some(description) = description::find(&call.path) {
            return Reply::Answer(Answer::ok(description));
        }
        let collection = Collection::parse(&call.path).filter(|_| call.method == "GET");
        let is_served = |known: &Collection| self.with_store(|store| store.serves(known.resource));
        let Some(collection) = collection.filter(is_served) else {
            return Reply::Answer(self.with_store(|store| store.handle(actor, call)));
        };
        let asked = list::Asked::parse(query);
        let reply = match asked {
            Err(refusal) => Err(refusal),
            Ok(asked) if asked.is_watch => Watch::open(self, collection, asked).map(Reply::Watch),
            Ok(asked) => self.list(&collection, &asked).map(Reply::Answer),
        };
        reply.unwrap_or_else(Reply::Answer)
    }

    fn list(&self, collection: &Collection, asked: &list::Asked) -> Result<Answer, Answer> {
        let options = self.options();
        self.with_store(|store| list::page(store, &options, collection, asked))
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
