//! The shared state of all controllers: the caches, the queues, the requests, the clock.

mod live_read;
mod own_writes;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use api::labels;
use domain::Key;
use domain::plan::Kind;
use jiff::Timestamp;
use tokio::sync::Notify;

use crate::cache::Change;
use crate::caches::watched::{Watched, WatchedScope};
use crate::caches::{Caches, Gap};
use crate::clock::{self, Clock};
use crate::controllers::{Controller, ControllerName, Controllers};
use crate::event_budget::EventBudget;
use crate::heartbeat::Heartbeat;
use crate::log_limit::LogLimit;
use crate::metrics::{ByController, Metrics};
use crate::requests::Requests;
use crate::scope::Scope;
use crate::sync_state::{SyncState, watch_of};
use crate::work_queue::WorkQueue;

/// The shared state of all controllers.
pub struct Context {
    /// All cached objects.
    pub caches: Caches,
    /// Sends requests to the API server.
    pub requests: Requests,
    /// The metrics of this process.
    pub metrics: Arc<Metrics>,
    /// Whether the runtime that decides goes on.
    pub heartbeat: Heartbeat,
    /// The budget for routine events, of all controllers.
    pub event_budget: EventBudget,
    pub(crate) sync: SyncState,
    pub(crate) log_limit: LogLimit,
    clock: Clock,
    controllers: Controllers,
    is_standby: AtomicBool,
    instance: String,
    reconciles: AtomicU64,
    doubts: Mutex<HashMap<Kind, Arc<Notify>>>,
}

impl Context {
    /// A context without any objects yet.
    pub fn new(requests: Requests, metrics: Arc<Metrics>, controllers: Controllers) -> Self {
        for (controller, _) in controllers.iter() {
            metrics.begin_controller(controller.0);
        }
        Self {
            caches: Caches::default(),
            requests,
            metrics,
            heartbeat: Heartbeat::default(),
            event_budget: EventBudget::default(),
            sync: SyncState::new(Scope::of(&[])),
            log_limit: LogLimit::default(),
            clock: Arc::new(clock::now),
            controllers,
            is_standby: AtomicBool::new(false),
            instance: labels::MANAGER.to_owned(),
            reconciles: AtomicU64::new(0),
            doubts: Mutex::default(),
        }
    }

    /// Replaces the clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Reporting instance used in events.
    #[must_use]
    pub fn called(mut self, instance: &str) -> Self {
        instance.clone_into(&mut self.instance);
        self
    }

    /// The reporting instance for events.
    pub(crate) fn instance(&self) -> &str {
        &self.instance
    }

    /// Watches only these namespaces, each by itself; all of them if none is named.
    #[must_use]
    pub fn in_namespaces(mut self, namespaces: &[String]) -> Self {
        self.sync = SyncState::new(Scope::of(namespaces));
        self
    }

    /// Fills the caches and decides nothing until [`Self::lead`]: another process decides.
    #[must_use]
    pub fn on_standby(mut self) -> Self {
        self.is_standby = AtomicBool::new(true);
        self
    }

    /// Whether another process decides.
    pub fn is_standby(&self) -> bool {
        self.is_standby.load(Ordering::SeqCst)
    }

    /// From now on this process decides, beginning with all objects.
    pub fn lead(&self) {
        if self.is_standby.swap(false, Ordering::SeqCst) {
            for (controller, _) in self.controllers() {
                self.enqueue_all(controller);
            }
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The queue of a controller; an empty one if there is no such controller.
    pub fn queue(&self, controller: ControllerName) -> WorkQueue {
        let found = self.controllers.get(controller);
        found.map_or_else(WorkQueue::default, |c| c.queue.clone())
    }

    /// Announces that this kind will be watched: keys are held back until it is listed in their
    /// scope.
    pub fn expect<K: Watched>(&self) {
        self.metrics.begin_watch(Kind::of::<K>().name());
        let scopes = self.scopes_of::<K>();
        if scopes.is_empty() {
            self.caches.open_gap::<K>(&Scope::Cluster, Gap::Absent);
        }
        for scope in scopes {
            self.sync.expect(watch_of(Kind::of::<K>(), &scope));
        }
    }

    pub(crate) fn scopes_of<K: Watched>(&self) -> Vec<Scope> {
        K::Scope::scopes(self.sync.scopes())
    }

    /// A watch shows this version.
    pub fn show<K: Watched>(&self, object: K) {
        K::notice(&object, &self.caches);
        self.publish(self.caches.of::<K>().apply(object));
    }

    /// Adds the keys that the change concerns to their queues.
    pub fn publish<K: Watched>(&self, change: Option<Change<K>>) {
        if let Some(change) = change {
            K::remember(&change, &self.caches);
            for (controller, key) in self.controllers.triggers.after(&change, &self.caches) {
                self.enqueue(controller, key);
            }
        }
        // The shown version may settle a POST and be known already.
        for settled in self.caches.of::<K>().take_settled() {
            self.wake::<K>(&settled);
        }
    }

    /// Triggers the controller for the object, once all objects that belong to it are known. On
    /// standby no worker takes the key, and it would stay for ever.
    pub fn enqueue(&self, controller: ControllerName, key: Key) {
        if self.is_standby() {
            return;
        }
        if let Some(key) = self.sync.hold(controller, key)
            && let Some(found) = self.controllers.get(controller)
        {
            found.queue.add(key);
        }
    }

    /// Triggers the controller for all its objects. If all is in order, that sends no request to
    /// the API server.
    pub fn enqueue_all(&self, controller: ControllerName) {
        // The objects that held wanted names of pods may be gone.
        self.caches.taken_names.forget();
        let found = self.controllers.get(controller);
        let keys = found.map(|c| (c.keys)(&self.caches));
        for key in keys.into_iter().flatten() {
            self.enqueue(controller, key);
        }
    }

    /// The kind was listed there: if it was absent or out of date, all controllers that read it are
    /// triggered.
    pub(crate) fn close_gap<K: Watched>(&self, scope: &Scope) {
        if self.caches.close_gap::<K>(scope) {
            self.wake_readers::<K>();
        }
    }

    /// Triggers all controllers that read the kind.
    pub(crate) fn wake_readers<K: Watched>(&self) {
        for controller in self.controllers.triggers.readers_of::<K>() {
            self.enqueue_all(controller);
        }
    }

    /// The watches that are not in order, each with its scope and the reason.
    pub fn unsynced(&self) -> BTreeMap<String, String> {
        self.sync.unsynced()
    }

    /// Whether this operator can do its work: all unsynced watches, if any, are of namespaces that
    /// it may not read, and there are others.
    pub fn is_ready(&self) -> bool {
        self.sync.is_ready()
    }

    /// A problem of a part other than the watches that the operator needs in order to be ready.
    pub fn set_problem(&self, part: &'static str, problem: Option<String>) {
        self.sync.set_problem(part, problem);
    }

    /// Whether every kind is listed everywhere, except in namespaces that this operator may not
    /// read: a wait for those would never end.
    pub fn has_listed_all(&self) -> bool {
        self.sync.is_synced()
    }

    /// Lists all kinds again; nothing more is decided in a scope until its list is done.
    pub fn list_anew(&self) {
        self.sync.list_anew();
    }

    /// Waits until every kind is listed everywhere.
    pub async fn synced(&self) {
        self.sync.synced().await;
    }

    pub(crate) fn controllers(&self) -> impl Iterator<Item = (ControllerName, &Controller)> {
        self.controllers.iter()
    }

    /// Updates the metrics: the silence of each kind's watch, the content of each queue, and
    /// whether this operator is ready.
    pub fn measure(&self) {
        self.sync.measure_silence(&self.metrics);
        self.metrics.ready.set(self.is_ready().into());
        for (controller, found) in self.controllers() {
            self.metrics.measure_queue(controller.0, &found.queue);
        }
    }

    /// The number of a reconcile, by which lines of the log belong together: it is unique in this
    /// process.
    pub(crate) fn next_reconcile(&self) -> u64 {
        self.reconciles.fetch_add(1, Ordering::Relaxed)
    }

    /// A reconcile of this controller panicked.
    pub(crate) fn count_panic(&self, controller: ControllerName) {
        let labels = ByController {
            controller: controller.0,
        };
        self.metrics.panics.get_or_create(&labels).inc();
    }

    fn doubts<K: Watched>(&self) -> Arc<Notify> {
        let mut doubts = self.doubts.lock().unwrap_or_else(PoisonError::into_inner);
        doubts.entry(Kind::of::<K>()).or_default().clone()
    }

    /// Something has to be read live.
    pub(crate) fn doubt<K: Watched>(&self) {
        self.doubts::<K>().notify_one();
    }

    /// Waits until something has to be read live.
    pub(crate) async fn doubted<K: Watched>(&self) {
        self.doubts::<K>().notified().await;
    }
}
